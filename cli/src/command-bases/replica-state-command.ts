import { shownName } from '@aip/controller/internal/names';
import * as Args from '@oclif/core/args';
import { AipCommand, fleetFlags, outputFlags } from '../command.js';

/** A command that takes a replica out of service or puts it back; subclasses say which. */
export abstract class ReplicaStateCommand extends AipCommand {
  static override description =
    'On a cluster desiredState of the ConnectorReplica is changed with your own rights; else the running `aip dev` does it.';
  static override args = {
    replica: Args.string({
      required: true,
      description: 'Name of the replica, or NAMESPACE/NAME (`aip fleet replicas`).',
    }),
  };
  static override flags = { ...outputFlags, ...fleetFlags };

  protected abstract readonly state: 'Drained' | 'Ready';
  /** What is reported of the replica afterwards. */
  protected abstract readonly outcome: string;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReplicaStateCommand);
    const { setReplicaState } = await import('../fleet/set-replica-state.js');
    const { paint } = await import('../ui/paint.js');
    const key = await setReplicaState(args.replica, this.state, flags, process.env);
    await this.answer(flags, {
      document: { replica: key, desired_state: this.state },
      names: () => [key],
      text: () => `${paint.good('✓')} ${shownName(key)} ${this.outcome}`,
    });
  }
}

import { Args } from '@oclif/core';
import { AipCommand, fleetFlags, outputFlags } from '../../command.js';

export default class FleetResume extends AipCommand {
  static override summary = 'Put a drained replica back into service.';
  static override description =
    'On a cluster desiredState of the ConnectorReplica is changed with your own rights; else the running `aip dev` does it.';
  static override args = {
    replica: Args.string({
      required: true,
      description: 'Name of the replica, or NAMESPACE/NAME (`aip fleet replicas`).',
    }),
  };
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FleetResume);
    const { setReplicaState } = await import('../../fleet/set-replica-state.js');
    const { paint } = await import('../../ui/paint.js');
    const key = await setReplicaState(args.replica, 'Ready', flags, process.env);
    if (flags.json) return this.printJson({ replica: key, desired_state: 'Ready' });
    this.log(`${paint.good('✓')} ${key} is resumed.`);
  }
}

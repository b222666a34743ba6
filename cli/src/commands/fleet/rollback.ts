import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';

export default class FleetRollback extends AipCommand {
  static override summary = 'Restore what an instance ran before its last rollout.';
  static override description =
    'Connector version, image, configuration, secrets, bindings and Pod settings of a completed rollout are written to the ConnectorInstance with your own rights. Where a tool applies your manifests, restore them there too.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme/support',
    '<%= config.bin %> <%= command.id %> acme/support --to 3',
  ];
  static override args = {
    name: Args.string({ required: true, description: 'Name of the instance, or NAMESPACE/NAME.' }),
  };
  static override flags = {
    ...outputFlags,
    ...contextFlag,
    namespace: Flags.string({ char: 'n', description: 'Namespace of the instance.', helpValue: 'NAME' }),
    to: Flags.integer({ min: 1, description: 'Revision to restore (default: the one before).', helpValue: 'REVISION' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FleetRollback);
    const { openNamedCluster } = await import('../../fleet/fleet-source.js');
    const { rollBack } = await import('../../fleet/rollback.js');
    const { paint } = await import('../../ui/paint.js');
    const [namespace, name = ''] = args.name.includes('/') ? args.name.split('/', 2) : [flags.namespace, args.name];
    const { cluster } = await openNamedCluster(flags, process.env);
    const done = await rollBack(cluster.kube, { name, namespace, to: flags.to }).finally(() => cluster.kube.close());
    await this.answer(flags, {
      document: done,
      names: () => [done.instance],
      text: () =>
        `${paint.good('✓')} ${done.instance} is restored to revision ${done.revision} (version ${done.version}).`,
    });
  }
}

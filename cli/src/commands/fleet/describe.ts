import * as Args from '@oclif/core/args';
import { AipCommand, fleetFlags, outputFlags } from '../../command.js';

export default class FleetDescribe extends AipCommand {
  static override summary = 'Show one instance: conditions, replicas, bindings and, on a cluster, what happened to it.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> support',
    '<%= config.bin %> <%= command.id %> acme/support --context prod',
  ];
  static override args = {
    name: Args.string({ required: true, description: 'Name of the instance, or NAMESPACE/NAME.' }),
  };
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FleetDescribe);
    const { openFleetSource } = await import('../../fleet/fleet-source.js');
    const [namespace, name] = args.name.includes('/') ? args.name.split('/', 2) : [flags.namespace, args.name];
    const source = await openFleetSource(flags, process.env);
    const found = await describe(source, name ?? '', namespace);
    const { descriptionLines } = await import('../../ui/fleet/description-lines.js');
    await this.answer(flags, {
      document: found,
      names: () => [args.name],
      text: ({ width }) => descriptionLines(found, Date.now(), width),
    });
  }
}

async function describe(
  source: Awaited<ReturnType<typeof import('../../fleet/fleet-source.js').openFleetSource>>,
  name: string,
  namespace: string | undefined,
) {
  if (source.kind === 'cluster') {
    const { describeInCluster } = await import('../../fleet/describe/describe-cluster.js');
    const { kube } = source.cluster;
    return describeInCluster(kube, name, namespace).finally(() => kube.close());
  }
  const { describeInRegistry } = await import('../../fleet/describe/describe-registry.js');
  return describeInRegistry(source, name, namespace);
}

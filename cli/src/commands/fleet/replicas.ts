import { AipCommand, fleetFlags, outputFlags } from '../../command.js';

export default class FleetReplicas extends AipCommand {
  static override summary = 'List replicas: state, version, and where they are.';
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FleetReplicas);
    const { openFleetSource } = await import('../../fleet/fleet-source.js');
    const source = await openFleetSource(flags, process.env);
    if (source.kind === 'cluster') {
      const { readClusterFleet } = await import('../../fleet/cluster-fleet.js');
      const { replicaRows, replicaTable } = await import('../../ui/tables/fleet/replicas.js');
      const { kube } = source.cluster;
      const views = await readClusterFleet(kube, flags.namespace).finally(() => kube.close());
      const replicas = replicaRows(views);
      return this.answer(flags, {
        document: { replicas },
        names: () => replicas.map(({ namespace, name }) => `${namespace}/${name}`),
        text: ({ width }) => (replicas.length === 0 ? ['No replicas.'] : replicaTable(replicas, Date.now(), width)),
      });
    }
    const { openRegistry } = await import('../../fleet/registry-fleet.js');
    const { fleetTable } = await import('../../ui/tables/fleet/fleet.js');
    const registry = openRegistry(source.url);
    const { readDevStatus, withDevFacts } = await import('../../fleet/dev-status.js');
    const found = await registry.read(flags.namespace).finally(() => registry.close());
    const status = await readDevStatus(source.dataDir);
    const rows = withDevFacts(found, status?.instances).filter(({ replica }) => replica !== null);
    await this.answer(flags, {
      document: { replicas: rows },
      names: () => rows.map(({ replica }) => replica ?? ''),
      text: ({ width }) => (rows.length === 0 ? ['No replicas.'] : fleetTable(rows, width)),
    });
  }
}

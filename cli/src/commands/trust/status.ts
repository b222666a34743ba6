import { AipCommand, contextFlag, outputFlags } from '../../command.js';

export default class TrustStatus extends AipCommand {
  static override summary = "Show a cluster's signing keys and certificate authorities, and how far rotations are.";
  static override flags = { ...outputFlags, ...contextFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(TrustStatus);
    const { openNamedCluster } = await import('../../fleet/fleet-source.js');
    const { readTrust } = await import('../../trust/cluster-trust.js');
    const { cluster } = await openNamedCluster(flags, process.env);
    const states = await readTrust(cluster).finally(() => cluster.kube.close());
    const { trustTable } = await import('../../ui/tables/trust.js');
    await this.answer(flags, {
      document: { trust: states },
      names: () => states.map(({ subject }) => subject),
      text: ({ width }) => trustTable(states, Date.now(), width),
    });
  }
}

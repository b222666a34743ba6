import * as Args from '@oclif/core/args';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';

export default class TrustRotate extends AipCommand {
  static override summary = "Ask for a new signing key or certificate authority of a cluster's fleet.";
  static override description =
    `The controller rotates in phases, with all of the fleet trusting both the old and the new one in between: nothing is refused meanwhile.
\`aip trust status\` shows how far it is.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> gateway',
    '<%= config.bin %> <%= command.id %> ca --context prod',
  ];
  static override args = {
    subject: Args.string({
      required: true,
      options: ['gateway', 'control-plane', 'ca'],
      description: 'What is to be rotated.',
    }),
  };
  static override flags = { ...outputFlags, ...contextFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TrustRotate);
    const { openNamedCluster } = await import('../../fleet/fleet-source.js');
    const { requestRotation } = await import('../../trust/cluster-trust.js');
    const { TRUST_SUBJECTS } = await import('../../trust/trust-status.js');
    const subject = TRUST_SUBJECTS.find((known) => known === args.subject);
    if (!subject) return;
    const { cluster } = await openNamedCluster(flags, process.env);
    const secret = await requestRotation(cluster, subject, Date.now()).finally(() => cluster.kube.close());
    const { paint } = await import('../../ui/paint.js');
    const { asTyped } = await import('../../ui/self.js');
    await this.answer(flags, {
      document: { subject, secret, requested: true },
      names: () => [secret],
      text: () =>
        asTyped(`${paint.good('✓')} Requested rotation of ${secret}; \`aip trust status\` shows its progress.`),
    });
  }
}

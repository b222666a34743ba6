import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class ContextAdd extends AipCommand {
  static override summary = 'Add a context: a gateway and the credential for it.';
  static override description =
    `With --from-cluster everything is read from a release in a cluster, through your own kubeconfig: the operator token of a tenant, the
certificates of the gateways, and how to reach one; the command ends when a gateway knows the token. Without --gateway each command then forwards a port to a gateway Pod.

Contexts are kept in $XDG_CONFIG_HOME/aip/contexts.yaml (AIP_CONFIG names another file), mode 0600.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --from-cluster --use',
    '<%= config.bin %> <%= command.id %> prod-acme --from-cluster --namespace aip --tenant acme --kube-context prod',
    '<%= config.bin %> <%= command.id %> eu --gateway https://aip.example.com --token-file ./token --ca-file ./ca.crt',
  ];
  static override args = { name: Args.string({ required: true, description: 'Name of the context.' }) };
  static override flags = {
    ...outputFlags,
    gateway: Flags.string({ description: 'Gateway URL.', helpValue: 'URL' }),
    'token-file': Flags.string({ description: 'File with the bearer token; it stays where it is.', helpValue: 'FILE' }),
    'ca-file': Flags.string({ description: 'Certificates (PEM) to trust besides the public ones.', helpValue: 'FILE' }),
    tenant: Flags.string({ description: 'Tenant of the token.', helpValue: 'ID' }),
    'from-cluster': Flags.boolean({ default: false, description: 'Read token and certificates from a cluster.' }),
    namespace: Flags.string({
      char: 'n',
      description: 'Namespace of the release (default: where the only one is).',
      helpValue: 'NAME',
      helpGroup: 'CLUSTER',
    }),
    release: Flags.string({
      description: 'Name of the release (default: the only one).',
      helpValue: 'NAME',
      helpGroup: 'CLUSTER',
    }),
    kubeconfig: Flags.string({
      description: 'kubeconfig file (default: KUBECONFIG, then ~/.kube/config).',
      helpValue: 'FILE',
      helpGroup: 'CLUSTER',
    }),
    'kube-context': Flags.string({
      description: 'Context of the kubeconfig (default: its current one).',
      helpValue: 'NAME',
      helpGroup: 'CLUSTER',
    }),
    use: Flags.boolean({ allowNo: true, description: 'Use it from now on (default: when it is the first).' }),
    wait: Flags.boolean({
      default: true,
      allowNo: true,
      description: 'Wait until the gateways know the token that was read.',
      helpGroup: 'CLUSTER',
    }),
    replace: Flags.boolean({ default: false, description: 'Replace a context of that name.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextAdd);
    const { addContext } = await import('../../contexts/add-context.js');
    const { shownContext } = await import('../../ui/context-lines.js');
    if (flags['from-cluster']) await this.waitsFor('Reading the release in the cluster');
    const { context, inUse } = await addContext(
      {
        name: args.name,
        gateway: flags.gateway,
        tokenFile: flags['token-file'],
        caFile: flags['ca-file'],
        tenant: flags.tenant,
        fromCluster: flags['from-cluster'],
        kubeconfig: flags.kubeconfig,
        kubeContext: flags['kube-context'],
        namespace: flags.namespace,
        release: flags.release,
        replace: flags.replace,
        use: flags.use,
      },
      process.env,
    );
    if (flags['from-cluster'] && flags.wait) await this.#untilTokenIsKnown(context.name);
    const shown = shownContext(context, inUse);
    const { paint } = await import('../../ui/paint.js');
    const { asTyped } = await import('../../ui/self.js');
    await this.answer(flags, {
      document: shown,
      names: () => [shown.name],
      text: () => [
        `${paint.good('✓')} ${shown.name}${shown.tenant ? ` for the tenant ${shown.tenant}` : ''}: ${shown.gateway}`,
        paint.dim(inUse ? 'It is in use now.' : asTyped(`Use it: aip context use ${shown.name}`)),
      ],
    });
  }

  /** What it has to say goes to standard error: it is not a part of the answer. */
  async #untilTokenIsKnown(name: string): Promise<void> {
    const { askWithContext, awaitToken } = await import('../../contexts/await-token.js');
    await this.waitsFor('Waiting until a gateway knows the token');
    const state = await awaitToken(
      () => askWithContext(name, process.env),
      () => this.logToStderr('The tenant is new: gateways know its token within a minute …'),
    );
    if (state === 'unknown')
      this.warn(`the gateways do not know the token yet; \`aip doctor --context ${name}\` says whether they do`);
  }
}

import { resolve } from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class ContextSet extends AipCommand {
  static override summary = 'Change parts of a context.';
  static override examples = ['<%= config.bin %> <%= command.id %> eu --token-file ./new-token'];
  static override args = { name: Args.string({ required: true, description: 'Name of the context.' }) };
  static override flags = {
    ...outputFlags,
    gateway: Flags.string({ description: 'Gateway URL.', helpValue: 'URL' }),
    'token-file': Flags.string({ description: 'File with the bearer token.', helpValue: 'FILE' }),
    'ca-file': Flags.string({ description: 'Certificates (PEM) to trust besides the public ones.', helpValue: 'FILE' }),
    tenant: Flags.string({ description: 'Tenant of the token.', helpValue: 'ID' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextSet);
    const { originOf, readText, tokenFrom } = await import('../../contexts/connection.js');
    const { UsageError } = await import('../../client/errors.js');
    const { changeContexts, contextNamed } = await import('../../contexts/contexts-file.js');
    const { shownContext, contextLines } = await import('../../ui/context-lines.js');
    const { gateway, tenant } = flags;
    const [tokenFile, caFile] = [flags['token-file'], flags['ca-file']];
    if ([gateway, tenant, tokenFile, caFile].every((value) => value === undefined))
      throw new UsageError(
        'There is nothing to change.',
        'Name what with --gateway, --token-file, --ca-file or --tenant.',
      );
    if (tokenFile !== undefined) await tokenFrom(tokenFile);
    if (caFile !== undefined) await readText(caFile, 'certificate');
    const changed = await changeContexts(process.env, (contexts) => {
      const { token, ca, ...before } = contextNamed(contexts, args.name);
      const context = {
        ...before,
        ...(tokenFile === undefined ? (token === undefined ? {} : { token }) : { token_file: resolve(tokenFile) }),
        ...(caFile === undefined ? (ca === undefined ? {} : { ca }) : { ca_file: resolve(caFile) }),
        ...(gateway === undefined ? {} : { gateway_url: originOf(gateway) }),
        ...(tenant === undefined ? {} : { tenant }),
      };
      return { ...contexts, contexts: contexts.contexts.map((each) => (each.name === args.name ? context : each)) };
    });
    const shown = shownContext(contextNamed(changed, args.name), changed.current === args.name);
    await this.answer(flags, { document: shown, names: () => [shown.name], text: () => contextLines(shown) });
  }
}

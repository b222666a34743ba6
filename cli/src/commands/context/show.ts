import * as Args from '@oclif/core/args';
import { AipCommand, outputFlags } from '../../command.js';

export default class ContextShow extends AipCommand {
  static override summary = 'Show a context, by default the one in use; never its token.';
  static override args = { name: Args.string({ description: 'Name of the context.' }) };
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextShow);
    const { DEV_CONTEXT } = await import('../../contexts/context.js');
    const { contextNamed, readContexts } = await import('../../contexts/contexts-file.js');
    const { contextLines, shownContext, shownContexts } = await import('../../ui/context-lines.js');
    const contexts = await readContexts(process.env);
    const name = args.name ?? process.env.AIP_CONTEXT ?? contexts.current ?? DEV_CONTEXT;
    const shown =
      name === DEV_CONTEXT
        ? shownContexts({ ...contexts, contexts: [] })[0]
        : shownContext(contextNamed(contexts, name), name === contexts.current);
    if (!shown) return;
    await this.answer(flags, { document: shown, names: () => [shown.name], text: () => contextLines(shown) });
  }
}

import * as Args from '@oclif/core/args';
import { AipCommand, outputFlags } from '../../command.js';

export default class ContextRemove extends AipCommand {
  static override summary = 'Remove a context.';
  static override args = { name: Args.string({ required: true, description: 'Name of the context.' }) };
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextRemove);
    const { changeContexts, contextNamed } = await import('../../contexts/contexts-file.js');
    await changeContexts(process.env, ({ current, contexts }) => {
      const gone = contextNamed({ contexts }, args.name).name;
      return {
        ...(current === undefined || current === gone ? {} : { current }),
        contexts: contexts.filter(({ name }) => name !== gone),
      };
    });
    const { paint } = await import('../../ui/paint.js');
    await this.answer(flags, {
      document: { removed: args.name },
      names: () => [args.name],
      text: () => `${paint.good('✓')} ${args.name} is removed.`,
    });
  }
}

import * as Args from '@oclif/core/args';
import { AipCommand, outputFlags } from '../../command.js';

export default class ContextUse extends AipCommand {
  static override summary = 'Choose the context that commands use when nothing else is named.';
  static override description = '`dev` goes back to the running `aip dev`.';
  static override args = { name: Args.string({ required: true, description: 'Name of a context, or `dev`.' }) };
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextUse);
    const { DEV_CONTEXT } = await import('../../contexts/context.js');
    const { changeContexts, contextNamed } = await import('../../contexts/contexts-file.js');
    await changeContexts(process.env, ({ contexts }) => {
      if (args.name === DEV_CONTEXT) return { contexts };
      return { current: contextNamed({ contexts }, args.name).name, contexts };
    });
    const { paint } = await import('../../ui/paint.js');
    const named = process.env.AIP_CONTEXT;
    await this.answer(flags, {
      document: { current: args.name },
      names: () => [args.name],
      text: () => [
        `${paint.good('✓')} ${args.name} is in use.`,
        ...(named && named !== args.name ? [paint.warn(`AIP_CONTEXT names ${named} and takes precedence.`)] : []),
      ],
    });
  }
}

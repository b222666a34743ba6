import { AipCommand, outputFlags } from '../../command.js';

export default class ContextList extends AipCommand {
  static override summary = 'List the contexts.';
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(ContextList);
    const { readContexts } = await import('../../contexts/contexts-file.js');
    const { contextTable, shownContexts } = await import('../../ui/context-lines.js');
    const contexts = await readContexts(process.env);
    const shown = shownContexts(contexts);
    await this.answer(flags, {
      document: { contexts: shown },
      names: () => shown.map(({ name }) => name),
      text: ({ width }) => contextTable(contexts, width),
    });
  }
}

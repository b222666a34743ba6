import * as Args from '@oclif/core/args';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ActionsExplain extends AipCommand {
  static override summary = 'Say in words what became of an action, and what to do next.';
  static override description =
    'Why it waited, retried or failed, where it ran and what comes next, from its state, events, receipts and approval.';
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsExplain);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { explainAction } = await import('../../records/explain-action.js');
    const { wrap } = await import('../../ui/tables/width.js');
    const { asTyped } = await import('../../ui/self.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveId(gateway, 'action', args.id);
    const explanation = await explainAction(gateway, id);
    await this.answer(flags, {
      document: explanation,
      names: () => [id],
      text: ({ width = Number.POSITIVE_INFINITY }) => [
        ...explanation.said.flatMap((line) => wrap(line, width)),
        ...explanation.next.map((line) => asTyped(line)),
      ],
    });
  }
}

import { Args, Flags } from '@oclif/core';
import { AipCommand, readFlags } from '../../command.js';

export default class ActionsChunks extends AipCommand {
  static override summary = 'Read the chunks of a streaming action.';
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = {
    ...readFlags,
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsChunks);
    const { resolveActionId } = await import('../../client/resolve-action.js');
    const { eventPage } = await import('../../client/event-page.js');
    const { read, segment } = await import('../../client/read.js');
    const { chunkLines } = await import('../../ui/tables/events.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveActionId(gateway, args.id);
    const page = eventPage(
      await read<Record<string, unknown>>(gateway, `/aip/v1/actions/${segment(id)}/chunks`, {
        cursor: flags.cursor,
        limit: flags.limit,
      }),
    );
    await this.answer(flags, {
      document: page,
      names: () => (page.chunks ?? []).map(({ sequence }) => String(sequence)),
      text: () => chunkLines(page),
    });
  }
}

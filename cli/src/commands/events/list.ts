import type { Event } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class EventsList extends AipCommand {
  static override summary = 'Read events, oldest first.';
  static override flags = {
    ...connectionFlags,
    kind: Flags.string({
      multiple: true,
      description: 'Only events of this kind; may be repeated.',
      helpValue: 'KIND',
    }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(EventsList);
    const { read } = await import('../../client/read.js');
    const { eventTable } = await import('../../ui/tables/events.js');
    const { gateway } = await this.connect(flags);
    const answer = await read<Record<string, unknown>>(gateway, '/aip/v1/events', {
      kinds: flags.kind?.join(','),
      cursor: flags.cursor,
      limit: flags.limit,
    });
    const { eventPage } = await import('../../client/event-page.js');
    const page = eventPage(answer);
    await this.answer(flags, {
      document: page,
      names: () => page.events.map(({ id }: Event) => id),
      text: (view) => eventTable(page, view),
    });
  }
}

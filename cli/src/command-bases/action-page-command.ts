import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { EventPage } from '../client/event-page.js';
import { AipCommand, connectionFlags } from '../command.js';

type PageTable = (page: EventPage, view: { width?: number | undefined; wide?: boolean }) => string[];

/** A command that reads a page of what an action left behind; subclasses say of what and how it is shown. */
export abstract class ActionPageCommand extends AipCommand {
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  /** The last part of the route. */
  protected abstract readonly route: 'chunks' | 'events';
  protected abstract names(page: EventPage): string[];
  /** Loads what shows a page to people. */
  protected abstract table(): Promise<PageTable>;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionPageCommand);
    const { resolveId } = await import('../client/resolve-id.js');
    const { eventPage } = await import('../client/event-page.js');
    const { read, segment } = await import('../client/read.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveId(gateway, 'action', args.id);
    const page = eventPage(
      await read<Record<string, unknown>>(gateway, `/aip/v1/actions/${segment(id)}/${this.route}`, {
        cursor: flags.cursor,
        limit: flags.limit,
      }),
    );
    const table = await this.table();
    await this.answer(flags, {
      document: page,
      names: () => this.names(page),
      text: (view) => table(page, view),
    });
  }
}

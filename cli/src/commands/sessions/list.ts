import type { SessionList } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class SessionsList extends AipCommand {
  static override summary = 'List sessions.';
  static override flags = {
    ...connectionFlags,
    status: Flags.string({ description: 'Only sessions in this state.', helpValue: 'STATE' }),
    principal: Flags.string({ description: 'Only sessions of this principal.', helpValue: 'ID' }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SessionsList);
    const { read } = await import('../../client/read.js');
    const { sessionTable } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const page = await read<SessionList>(gateway, '/aip/v1/sessions', {
      status: flags.status,
      principal_id: flags.principal,
      cursor: flags.cursor,
      limit: flags.limit,
    });
    await this.answer(flags, {
      document: page,
      names: () => page.sessions.map(({ session_id }) => session_id),
      text: (view) => sessionTable(page, view),
    });
  }
}

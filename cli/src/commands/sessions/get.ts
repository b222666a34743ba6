import type { SessionView } from '@aip/runtime/internal/protocol';
import * as Args from '@oclif/core/args';
import { AipCommand, connectionFlags } from '../../command.js';

export default class SessionsGet extends AipCommand {
  static override summary = 'Show a session.';
  static override args = { id: Args.string({ required: true, description: 'Session id, or its beginning.' }) };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SessionsGet);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { read, segment } = await import('../../client/read.js');
    const { sessionLines } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const path = `/aip/v1/sessions/${segment(await resolveId(gateway, 'session', args.id))}`;
    const view = await read<SessionView>(gateway, path);
    await this.answer(flags, { document: view, names: () => [view.session_id], text: () => sessionLines(view) });
  }
}

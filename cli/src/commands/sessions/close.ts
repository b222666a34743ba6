import type { SessionView } from '@aip/runtime/internal/protocol';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class SessionsClose extends AipCommand {
  static override summary = 'Close a session.';
  static override args = { id: Args.string({ required: true, description: 'Session id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    reason: Flags.string({ description: 'Why; it is kept with the session.', helpValue: 'TEXT' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SessionsClose);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { segment } = await import('../../client/read.js');
    const { paintState } = await import('../../ui/paint.js');
    const { gateway } = await this.connect(flags);
    const path = `/aip/v1/sessions/${segment(await resolveId(gateway, 'session', args.id))}/close`;
    const body = flags.reason === undefined ? {} : { reason: flags.reason };
    const view = (await gateway.request({ method: 'POST', path, body })) as SessionView;
    await this.answer(flags, {
      document: view,
      names: () => [view.session_id],
      text: () => `${paintState(view.status)} ${view.session_id}`,
    });
  }
}

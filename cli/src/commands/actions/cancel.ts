import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ActionsCancel extends AipCommand {
  static override summary = 'Ask for an action to be cancelled.';
  static override description =
    'A successful answer does not prove that an effect at the provider was reversed. Exit code 0 when the request was taken.';
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    reason: Flags.string({ description: 'Why; it is kept with the action.', helpValue: 'TEXT' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsCancel);
    const { cancelAction, getAction, TERMINAL_STATES } = await import('@aip/runtime/internal/client');
    const { resolveId } = await import('../../client/resolve-id.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveId(gateway, 'action', args.id);
    const before = await getAction(gateway, id);
    const result = await cancelAction(gateway, id, flags.reason);
    const { paintState } = await import('../../ui/paint.js');
    const already = TERMINAL_STATES.has(before.state);
    await this.answer(flags, {
      document: result,
      names: () => [result.action_id],
      text: () => [
        `${paintState(result.status)} ${result.action_id}`,
        ...(already ? ['It had already ended; nothing was cancelled.'] : []),
      ],
    });
  }
}

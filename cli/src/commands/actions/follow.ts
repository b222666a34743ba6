import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, gatewayFlags, streamFlags } from '../../command.js';
import { EXIT_CODE_HELP, exitCodeOfStatus } from '../../exit-codes.js';

export default class ActionsFollow extends AipCommand {
  static override summary = 'Follow an action live to its end.';
  static override description =
    `Shows events and chunks as they come. A broken stream is resumed where it was; what comes twice is shown once. The end is confirmed by reading the action. Ctrl-C ends the follow, never the action.

${EXIT_CODE_HELP}`;
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = {
    ...streamFlags,
    ...gatewayFlags,
    'through-approval': Flags.boolean({ description: 'Continue while the action waits for a person.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsFollow);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { gateway } = await this.connect(flags);
    const { followToEnd } = await import('../../follow-session.js');
    const { interruptible } = await import('../../interrupt.js');
    const { openFollowView } = await import('../../ui/follow/open.js');
    const { getAction } = await import('@aip/runtime/internal/client');
    const { EXIT } = await import('../../client/errors.js');
    const id = await resolveId(gateway, 'action', args.id);
    const known = await getAction(gateway, id);
    if (known.state === 'unknown') {
      const { UsageError } = await import('../../client/errors.js');
      throw new UsageError(
        `There is no action ${args.id} that you may see.`,
        '`aip actions list` shows those you may.',
      );
    }
    const view = await openFollowView(id, await this.streamsJson(flags), known.capability_id);
    const status = await interruptible((signal) =>
      followToEnd(gateway, id, view, { signal, stopAtApproval: !flags['through-approval'] }),
    );
    if (!status) view.interrupted();
    process.exitCode = status ? exitCodeOfStatus(status) : EXIT.interrupted;
  }
}

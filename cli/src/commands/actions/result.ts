import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';
import { EXIT_CODE_HELP, exitCodeOf } from '../../exit-codes.js';

export default class ActionsResult extends AipCommand {
  static override summary = 'Show the result of an ended action.';
  static override description =
    `With --raw or --output-file the result is passed on as the gateway sends it, without holding it in memory; the exit code then says only whether it came.\n\n${EXIT_CODE_HELP}`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> act_0199',
    '<%= config.bin %> <%= command.id %> act_0199 --output-file report.json',
    '<%= config.bin %> <%= command.id %> act_0199 --raw | jq .output',
  ];
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    raw: Flags.boolean({ description: 'Write the result to standard output as it comes.', exclusive: ['output-file'] }),
    'output-file': Flags.string({ description: 'Write the result to a file as it comes.', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsResult);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveId(gateway, 'action', args.id);
    if (flags.raw || flags['output-file'] !== undefined) {
      const { downloadResult } = await import('../../client/download-result.js');
      const file = flags['output-file'];
      const bytes = await downloadResult(gateway, id, file === undefined ? process.stdout : { file });
      if (file !== undefined) this.logToStderr(`${file}: ${bytes} bytes`);
      return;
    }
    const { getAction, getResult } = await import('@aip/runtime/internal/client');
    const { submittedLines } = await import('../../ui/follow/submitted.js');
    // A result that says `failed` may be of an action that expired or was dead-lettered.
    const [result, status] = await Promise.all([getResult(gateway, id), getAction(gateway, id)]);
    await this.answer(flags, {
      document: result,
      names: () => [id],
      text: ({ width }) => submittedLines({ actionId: id, status: { ...status, result } }, true, width),
    });
    process.exitCode = exitCodeOf(status.state, result.error);
  }
}

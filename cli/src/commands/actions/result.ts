import { Args } from '@oclif/core';
import { AipCommand, connectionFlags } from '../../command.js';
import { EXIT_CODE_HELP, exitCodeOf } from '../../exit-codes.js';

export default class ActionsResult extends AipCommand {
  static override summary = "Show an ended action's result.";
  static override description = EXIT_CODE_HELP;
  static override args = { id: Args.string({ required: true, description: 'Action id.' }) };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsResult);
    const { getResult } = await import('../../client/actions.js');
    const { checkId } = await import('../../client/ids.js');
    checkId('action', args.id);
    const { gateway } = await this.connect(flags);
    const result = await getResult(gateway, args.id);
    if (flags.json) this.printJson(result);
    else {
      const { printSubmitted } = await import('../../ui/follow/submitted.js');
      printSubmitted({ actionId: args.id, result });
    }
    process.exitCode = exitCodeOf(result.status);
  }
}

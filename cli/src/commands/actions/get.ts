import { Args, Flags } from '@oclif/core';
import { AipCommand, connectionFlags } from '../../command.js';
import { EXIT_CODE_HELP, exitCodeOf } from '../../exit-codes.js';

export default class ActionsGet extends AipCommand {
  static override summary = 'Show an action.';
  static override description = EXIT_CODE_HELP;
  static override args = { id: Args.string({ required: true, description: 'Action id.' }) };
  static override flags = {
    ...connectionFlags,
    receipts: Flags.boolean({ description: 'Show the receipt chain and verify it.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsGet);
    const { getAction, getReceipts } = await import('../../client/actions.js');
    const { checkId } = await import('../../client/ids.js');
    checkId('action', args.id);
    const { gateway } = await this.connect(flags);
    const status = await getAction(gateway, args.id, { result: true });
    const chain = flags.receipts ? await getReceipts(gateway, args.id) : undefined;
    if (flags.json) {
      const { verifyReceiptChain } = await import('@aip/runtime/protocol/receipts.js');
      this.printJson(
        chain ? { ...status, receipt_chain: chain, receipts_verified: verifyReceiptChain(chain).ok } : status,
      );
    } else {
      const { printAction } = await import('../../ui/action-details.js');
      await printAction(status, chain);
    }
    process.exitCode = exitCodeOf(status.state);
  }
}

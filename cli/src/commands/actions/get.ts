import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';
import { EXIT_CODE_HELP, exitCodeOfStatus } from '../../exit-codes.js';

export default class ActionsGet extends AipCommand {
  static override summary = 'Show an action.';
  static override description = `Exits with 0 when the action could be read, whatever became of it. With --exit-status:

${EXIT_CODE_HELP}`;
  static override args = { id: Args.string({ required: true, description: 'Action id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    'exit-status': Flags.boolean({ description: "Exit with the code of the action's state." }),
    receipts: Flags.boolean({ description: 'Show the receipt chain and verify it.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsGet);
    const { getAction, getReceipts } = await import('@aip/runtime/internal/client');
    const { resolveId } = await import('../../client/resolve-id.js');
    const { actionLines } = await import('../../ui/tables/action-details.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveId(gateway, 'action', args.id);
    const status = await getAction(gateway, id, { result: true });
    const chain = flags.receipts ? await getReceipts(gateway, id) : undefined;
    const { verifyReceiptChain } = await import('@aip/runtime/internal/signing');
    await this.answer(flags, {
      document: chain ? { ...status, receipt_chain: chain, receipts_verified: verifyReceiptChain(chain).ok } : status,
      names: () => [id],
      text: ({ width }) => actionLines(status, { chain, width }),
    });
    if (flags['exit-status']) process.exitCode = exitCodeOfStatus(status);
  }
}

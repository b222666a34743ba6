import type { TransactionView } from '@aip/runtime/protocol/types.js';
import { Args, Flags } from '@oclif/core';
import { AipCommand, readFlags } from '../../command.js';

export default class TransactionsGet extends AipCommand {
  static override summary = 'Show a transaction, by its id or that of an action or plan of it.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> txn_0199',
    '<%= config.bin %> <%= command.id %> act_0199 --receipts',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'Id of a transaction, an action or a plan.' }),
  };
  static override flags = {
    ...readFlags,
    receipts: Flags.boolean({ description: 'Show the receipt chain and verify it.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TransactionsGet);
    const { read, segment } = await import('../../client/read.js');
    const { transactionLines } = await import('../../ui/tables/records.js');
    const by = args.id.startsWith('txn_') ? '' : args.id.startsWith('act_') ? 'by-action/' : 'by-plan/';
    const { gateway } = await this.connect(flags);
    const view = await read<TransactionView>(gateway, `/aip/v1/transactions/${by}${segment(args.id)}`, {
      include_result: true,
      include_receipts: flags.receipts || undefined,
    });
    await this.answer(flags, {
      document: view,
      names: () => [view.transaction_id],
      text: ({ width }) => transactionLines(view, width),
    });
  }
}

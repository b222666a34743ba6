import type { TransactionView } from '@aip/runtime/internal/protocol';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class TransactionsGet extends AipCommand {
  static override summary = 'Show a transaction, by its id or that of an action or plan of it.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> txn_0199',
    '<%= config.bin %> <%= command.id %> act_0199 --receipts',
  ];
  static override args = {
    id: Args.string({
      required: true,
      description: 'Id of a transaction or an action, or its beginning; or the id of a plan.',
    }),
  };
  static override flags = {
    ...connectionFlags,
    receipts: Flags.boolean({ description: 'Show the receipt chain and verify it.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TransactionsGet);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { read, segment } = await import('../../client/read.js');
    const { transactionLines } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const path = args.id.startsWith('txn_')
      ? segment(await resolveId(gateway, 'transaction', args.id))
      : args.id.startsWith('act_')
        ? `by-action/${segment(await resolveId(gateway, 'action', args.id))}`
        : `by-plan/${segment(args.id)}`;
    const view = await read<TransactionView>(gateway, `/aip/v1/transactions/${path}`, {
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

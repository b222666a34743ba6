import { writeFile } from 'node:fs/promises';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ReceiptsGet extends AipCommand {
  static override summary = 'Show a receipt chain and verify it, or write it to a file.';
  static override description = 'Exit code: 0 when the chain verifies, 8 when it does not.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> act_0199',
    '<%= config.bin %> <%= command.id %> act_0199 --output-file receipts.json',
  ];
  static override args = {
    id: Args.string({
      required: true,
      description:
        'Id of an action, approval, transaction, delivery or receipt, or its beginning; or of a chain, such as action:act_0199.',
    }),
  };
  static override flags = {
    ...connectionFlags,
    'output-file': Flags.string({
      description: 'Write the chain to a file, for `receipts verify`.',
      helpValue: 'FILE',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReceiptsGet);
    const { verifyReceiptChain } = await import('@aip/runtime/internal/signing');
    const { readReceipts } = await import('../../client/read-receipts.js');
    const { receiptLines } = await import('../../ui/tables/action-details.js');
    const { gateway } = await this.connect(flags);
    const chain = await readReceipts(gateway, args.id);
    const file = flags['output-file'];
    if (file !== undefined) {
      await writeFile(file, `${JSON.stringify(chain, null, 2)}\n`, { mode: 0o600 });
      this.logToStderr(`${file}: ${chain.receipts.length} receipts`);
    } else
      await this.answer(flags, {
        document: { ...chain, verified: verifyReceiptChain(chain).ok },
        names: () => chain.receipts.map(({ id }) => id),
        text: ({ width }) => receiptLines(chain, width),
      });
    if (!verifyReceiptChain(chain).ok) process.exitCode = 8;
  }
}

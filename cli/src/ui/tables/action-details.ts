import type { ActionStatus, ReceiptChain } from '@aip/runtime/internal/protocol';
import { chainProblem } from '../../client/chain-problem.js';
import { detailLines, jsonLines } from '../detail-lines.js';
import { violationTexts } from '../format.js';
import { paint, paintState } from '../paint.js';
import { precise, when } from '../when.js';
import { table } from './table.js';

/** An action, and its receipts when given. */
export function actionLines(
  status: ActionStatus,
  { chain, width }: { chain?: ReceiptChain | undefined; width?: number | undefined } = {},
): string[] {
  const { output, error } = status.result ?? {};
  return [
    ...detailLines([
      ['action', status.action_id],
      ['capability', status.capability_id],
      ['state', paintState(status.state)],
      ['session', status.session_id],
      ['approval', status.approval_id],
      ['started', when(status.started_at)],
      ['updated', status.completed_at ? undefined : when(status.updated_at)],
      ['completed', when(status.completed_at)],
      ['error', error && `${paint.bad(error.code)} ${error.message}`],
    ]),
    ...(error ? violationTexts(error).map((text) => `  ${text}`) : []),
    ...jsonLines('output', output),
    ...(chain ? receiptLines(chain, width) : []),
  ];
}

/** A receipt chain with the verdict of its verification. */
export function receiptLines(chain: ReceiptChain, width?: number): string[] {
  const problem = chainProblem(chain);
  const text = table(
    chain.receipts,
    [
      { title: 'RECEIPT', value: (row) => row.receipt_type },
      { title: 'AT', value: (row) => precise(row.occurred_at), shrink: 'end', drop: 1 },
      { title: 'HASH', value: (row) => (row.hash ?? '').slice(0, 12) },
    ],
    width,
  );
  const line =
    problem === undefined
      ? paint.good(`✓ ${chain.receipts.length} ${chain.receipts.length === 1 ? 'receipt' : 'receipts'}, chain verified`)
      : paint.bad(`✗ the receipt chain does not verify: ${problem}`);
  return [...text.split('\n'), line];
}

import type { ActionStatus, ReceiptChain } from '@aip/runtime/internal/protocol';
import { chainProblem } from '../../client/chain-problem.js';
import { violationTexts } from '../format.js';
import { paint, paintState } from '../paint.js';
import { table } from './table.js';

/** An action, and its receipts when given. */
export function actionLines(
  status: ActionStatus,
  { chain, width }: { chain?: ReceiptChain | undefined; width?: number | undefined } = {},
): string[] {
  const lines: string[] = [];
  const rows: [string, string | undefined][] = [
    ['action', status.action_id],
    ['capability', status.capability_id],
    ['state', paintState(status.state)],
    ['session', status.session_id],
    ['approval', status.approval_id],
    ['started', status.started_at],
    ['updated', status.updated_at],
    ['completed', status.completed_at],
  ];
  const write = (line: string): void => {
    lines.push(line);
  };
  for (const [name, value] of rows) if (value !== undefined) write(`${paint.dim(name.padEnd(11))}${value}`);
  const { output, error } = status.result ?? {};
  if (output !== undefined) write(`${paint.dim('output'.padEnd(11))}${JSON.stringify(output, null, 2)}`);
  if (error) {
    write(`${paint.dim('error'.padEnd(11))}${paint.bad(error.code)} ${error.message}`);
    for (const text of violationTexts(error)) write(`${' '.repeat(11)}${text}`);
  }
  if (chain) for (const line of receiptLines(chain, width)) write(line);
  return lines;
}

/** A receipt chain with the verdict of its verification. */
export function receiptLines(chain: ReceiptChain, width?: number): string[] {
  const problem = chainProblem(chain);
  const text = table(
    chain.receipts,
    [
      { title: 'RECEIPT', value: (row) => row.receipt_type },
      { title: 'AT', value: (row) => row.occurred_at, shrink: 'end', drop: 1 },
      { title: 'HASH', value: (row) => (row.hash ?? '').slice(0, 12) },
    ],
    width,
  );
  const line =
    problem === undefined
      ? paint.good(`✓ ${chain.receipts.length} receipts, chain verified`)
      : paint.bad(`✗ the receipt chain does not verify: ${problem}`);
  return [...text.split('\n'), line];
}

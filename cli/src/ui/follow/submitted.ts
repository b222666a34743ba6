import type { Submitted } from '../../client/submit.js';
import { compact, violationTexts } from '../format.js';
import { paint, paintState } from '../paint.js';

/** The state that an answer tells: a result's status, a read action's state, else the acknowledgement's. */
export function stateOf(submitted: Submitted): string {
  return submitted.result?.status ?? submitted.status?.state ?? submitted.ack?.status ?? 'unknown';
}

/** Prints the answer to a submit for people. */
export function printSubmitted(submitted: Submitted): void {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const state = stateOf(submitted);
  write(`${paintState(state)} ${submitted.actionId}`);
  const result = submitted.result ?? submitted.status?.result;
  if (result?.output !== undefined) write(`output ${compact(result.output)}`);
  if (result?.error) {
    write(`${paint.bad(result.error.code)} ${result.error.message}`);
    for (const text of violationTexts(result.error)) write(`  ${text}`);
  }
  if (state === 'pending_approval') write(paint.dim('It waits for a person to approve it.'));
  else if (!result) write(paint.dim(`Follow it: aip actions follow ${submitted.actionId}`));
}

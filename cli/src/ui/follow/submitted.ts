import type { Submitted } from '@aip/runtime/client';
import { adviceFor } from '../../client/errors.js';
import { compact, violationTexts } from '../format.js';
import { paint, paintState } from '../paint.js';
import { asTyped } from '../self.js';
import { wrap } from '../tables/width.js';

/** The state that an answer reports: a result's status, a read action's state, else the acknowledgement's. */
export function stateOf(submitted: Submitted): string {
  return submitted.result?.status ?? submitted.status?.state ?? submitted.ack?.status ?? 'unknown';
}

/** The answer to a submit for people. `stored` is false when the gateway refused the action before it kept it: then its id leads nowhere. */
export function submittedLines(
  submitted: Submitted,
  stored = true,
  width = Number.POSITIVE_INFINITY,
  capability?: string,
): string[] {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
  };
  const state = stateOf(submitted);
  write(stored ? `${paintState(state)} ${submitted.actionId}` : `${paint.bad('✗ refused')}; nothing was stored`);
  const result = submitted.result ?? submitted.status?.result;
  const waits = state === 'pending_approval';
  if (waits) for (const line of waitingLines(submitted)) write(line);
  else if (result?.output !== undefined) write(`output ${compact(result.output)}`);
  if (result?.error && !waits) {
    const { code, message } = result.error;
    for (const line of wrap(`${code} ${message}`, width, { whole: true })) write(line.replace(code, paint.bad(code)));
    for (const text of violationTexts(result.error)) write(`  ${text}`);
    const advice = stored ? undefined : adviceFor(result.error, capability);
    if (advice) for (const line of wrap(asTyped(advice), width, { whole: true })) write(paint.dim(line));
  }
  if (!result && !waits) write(paint.dim(asTyped(`Follow it: aip actions follow ${submitted.actionId}`)));
  return lines;
}

/** Why an action waits for a person, and the command that decides. */
export function waitingLines(submitted: Pick<Submitted, 'result' | 'status'>): string[] {
  const { reason } = ((submitted.result ?? submitted.status?.result)?.output ?? {}) as { reason?: unknown };
  return [
    ...(typeof reason === 'string' ? [`reason ${reason}`] : []),
    paint.dim(asTyped(`It waits for a person: aip approvals approve ${approvalOf(submitted)}`)),
  ];
}

/** The approval that an action waits for; the answer names it in its output. */
function approvalOf({ result, status }: Pick<Submitted, 'result' | 'status'>): string {
  const { approval_id: named } = ((result ?? status?.result)?.output ?? {}) as { approval_id?: unknown };
  return typeof named === 'string' ? named : (status?.approval_id ?? '(aip approvals list)');
}

import { AipError, outcomeUnknown, protocolErrorOf } from '../../../protocol/errors.js';
import type { ActionEnd } from '../finish/compose.js';
import type { ActionRecord } from '../record/record.js';

/** Executions of one action after which its taker gives up: it seems to end every process that runs it. */
const MAX_EXECUTIONS = 25;

/**
 * How an action ends that must not be run: it waited longer than its bound, may have run after the backup that the database was restored from, or
 * ended every worker so far. Undefined: it may run. Pure.
 */
export function refusedBeforeStart(record: ActionRecord, nowMs: number): ActionEnd | undefined {
  const waited = (record.started_at ?? nowMs) - (record.resumed_at ?? record.accepted_at);
  const bound = record.plan.max_queue_delay_ms;
  const failed = (error: unknown, deadLetterReason: string): ActionEnd => ({
    state: record.mode === 'async' ? 'dead_lettered' : 'failed',
    result: { action_id: record.action_id, status: 'failed', error: protocolErrorOf(error, 'aip-runtime') },
    ...(record.mode === 'async' ? { deadLetterReason } : {}),
  });
  if (bound !== undefined && record.attempts === 1 && record.mode === 'async' && waited > bound)
    return failed(
      new AipError('sla.queue_delay_exceeded', undefined, { details: { max_queue_delay_ms: bound } }),
      'sla.queue_delay_exceeded',
    );
  if (record.restored && record.attempts > (record.mode === 'streaming' ? 1 : record.plan.max_attempts)) {
    const unknown = outcomeUnknown('it may have run after the backup that the database was restored from', {
      details: { restored: true },
    });
    return failed(unknown, unknown.code);
  }
  if (record.attempts > MAX_EXECUTIONS)
    return failed(
      new AipError('runtime.handler_failed', 'every worker that ran the action ended', {
        retryable: false,
        details: { uncertain_outcome: true },
      }),
      'executions_exhausted',
    );
  return undefined;
}

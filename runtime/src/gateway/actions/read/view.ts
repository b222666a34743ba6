import { formatTime } from '../../../protocol/time.js';
import type { ActionStatus, ReceiptChain, StreamChunk } from '../../../protocol/types.js';
import type { ActionRecord } from '../record/record.js';

/** What a view carries beyond the record itself. */
export interface ViewExtras {
  readonly includeResult?: boolean | undefined;
  readonly receiptChain?: ReceiptChain | undefined;
  readonly chunks?: readonly StreamChunk[] | undefined;
}

/** The ActionStatus of a record (docs/protocol/client-api.md#views): every time as RFC 3339, every absent member left out. */
export function actionView(record: ActionRecord, extras: ViewExtras = {}): ActionStatus {
  const { result } = record;
  return {
    action_id: record.action_id,
    capability_id: record.capability_id,
    ...present('session_id', record.session_id),
    ...present('correlation_id', record.correlation_id),
    state: record.state,
    ...present('result_status', result?.status),
    ...present('approval_id', record.approval_id),
    ...present('transaction_id', record.transaction_id),
    ...present('started_at', time(record.started_at)),
    updated_at: formatTime(record.updated_at),
    ...present('completed_at', time(record.completed_at)),
    ...present('retry', retryView(record)),
    ...present('lease', leaseView(record)),
    ...(extras.includeResult && result ? { result } : {}),
    ...present('receipt_chain', extras.receiptChain),
    ...(extras.chunks && extras.chunks.length > 0 ? { chunks: [...extras.chunks] } : {}),
    links: linksOf(record.action_id),
  };
}

/** Where the parts of one action are found, as relative paths. */
export function linksOf(actionId: string): Record<string, string> {
  const self = `/aip/v1/actions/${encodeURIComponent(actionId)}`;
  return {
    self,
    result: `${self}/result`,
    events: `${self}/events`,
    chunks: `${self}/chunks`,
    cancel: `${self}/cancel`,
  };
}

function retryView(record: ActionRecord): Record<string, unknown> | undefined {
  if (record.mode !== 'async') return undefined;
  return {
    attempts: record.attempts,
    policy: { max_attempts: record.plan.max_attempts },
    ...present('next_attempt_at', record.attempts > 0 ? time(record.next_attempt_at) : undefined),
    ...present('last_error', record.last_error),
    ...present('dead_letter_reason', record.dead_letter_reason),
  };
}

function leaseView(record: ActionRecord): Record<string, unknown> | undefined {
  if (record.lease_id === null) return undefined;
  return {
    worker_id: record.worker_id,
    lease_id: record.lease_id,
    acquired_at: time(record.lease_acquired_at),
    expires_at: time(record.lease_expires_at),
  };
}

function time(ms: number | null): string | undefined {
  return ms === null ? undefined : formatTime(ms);
}

function present<K extends string, V>(name: K, value: V | null | undefined): { [P in K]?: V } {
  return (value === null || value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}

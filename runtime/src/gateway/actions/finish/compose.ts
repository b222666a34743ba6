import { newId } from '../../../protocol/ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { ActionResult, Event, Principal } from '../../../protocol/types.js';
import { resultAudit } from '../../audit/result-audit.js';
import type { NewEvent } from '../../events/log/append.js';
import { actionChainId, nextReceipt } from '../../receipts/action-chain.js';
import type { ActionRecord } from '../record/record.js';
import type { TerminalState } from '../record/states.js';
import type { Settlement } from './write.js';

/** What a record has to tell for its settlement. */
export type SettledRecord = Pick<
  ActionRecord,
  | 'action_id'
  | 'tenant_id'
  | 'principal_id'
  | 'principal_kind'
  | 'session_id'
  | 'correlation_id'
  | 'transaction_id'
  | 'lease_id'
  | 'receipt_head'
  | 'receipt_count'
>;

/** The end of an action: its terminal state, its result and, where it was given up, why. */
export interface ActionEnd {
  readonly state: TerminalState;
  readonly result: ActionResult;
  readonly deadLetterReason?: string | undefined;
}

/**
 * Everything that is written when `record` ends so: the row, receipt result_returned, event aip.action.result and
 * audit event.
 */
export function settlementOf(record: SettledRecord, end: ActionEnd, gateway: Principal, nowMs: number): Settlement {
  const chainId = actionChainId(record.action_id);
  const { state, result } = end;
  const receipt = nextReceipt(
    { hash: record.receipt_head, count: record.receipt_count },
    {
      chainId,
      subject: record.action_id,
      type: 'result_returned',
      actor: gateway,
      atMs: nowMs,
      correlationId: record.correlation_id,
      data: { action_id: record.action_id, status: result.status, error_code: result.error?.code ?? null },
    },
  ).stored;
  const actor = submitterOf(record);
  const data = { action_id: record.action_id, status: result.status, state, error_code: result.error?.code ?? null };
  return {
    action_id: record.action_id,
    lease_id: record.lease_id,
    state,
    result,
    completed_at: nowMs,
    dead_letter_reason: end.deadLetterReason ?? null,
    key: result.status === 'failed' && result.error?.retryable === true ? 'release' : 'keep',
    receipts: [receipt],
    audit: resultAudit(record, actor, result, chainId, nowMs),
    events: [actionEvent(record, 'aip.action.result', actor, data, nowMs)],
  };
}

/** The principal that submitted an action, as its record keeps it. */
export function submitterOf(record: Pick<ActionRecord, 'principal_id' | 'principal_kind'>): Principal {
  return { id: record.principal_id, kind: record.principal_kind as Principal['kind'] };
}

/** A new event of an action, to be appended in the transaction that makes it true. */
export function actionEvent(
  record: Pick<ActionRecord, 'action_id' | 'tenant_id' | 'principal_id' | 'session_id' | 'correlation_id'>,
  kind: string,
  actor: Principal,
  data: Record<string, unknown>,
  nowMs: number,
): NewEvent {
  const event: Event = {
    id: newId('event'),
    kind,
    occurred_at: formatTime(nowMs),
    ...(record.session_id === null ? {} : { session_id: record.session_id }),
    action_id: record.action_id,
    ...(record.correlation_id === null ? {} : { correlation_id: record.correlation_id }),
    actor,
    data,
  };
  return {
    event,
    ...(record.tenant_id === null ? {} : { tenantId: record.tenant_id }),
    principalId: record.principal_id,
  };
}

import { formatTime } from '../../../protocol/time.js';
import type { ActionResult, AuditEvent, Principal } from '../../../protocol/types.js';

/** The one audit event that an action's result leaves (docs/protocol/actions.md#receipts). */
export function resultAudit(
  action: {
    action_id: string;
    session_id: string | null;
    correlation_id: string | null;
    transaction_id: string | null;
  },
  actor: Principal,
  result: ActionResult,
  chainId: string,
  atMs: number,
): AuditEvent {
  return {
    id: `audit:action:${action.action_id}:result`,
    actor,
    action: 'aip.action.result',
    occurred_at: formatTime(atMs),
    data: {
      action_id: action.action_id,
      status: result.status,
      session_id: action.session_id,
      correlation_id: action.correlation_id,
      error_code: result.error?.code ?? null,
      ...(action.transaction_id === null ? {} : { transaction_id: action.transaction_id }),
      receipt_chain_id: chainId,
    },
  };
}

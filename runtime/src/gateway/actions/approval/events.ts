import type { ApprovalRequest, Principal } from '../../../protocol/types.js';
import { actionEvent } from '../../events/log/action-event.js';
import type { NewEvent } from '../../events/log/append.js';
import type { ActionRecord } from '../record/record.js';
import type { ApprovalState } from './record.js';

/** The event of a new approval; `owner` is its action's row, or the same columns before the action is submitted. */
export function requestedEvent(
  owner: Parameters<typeof actionEvent>[0],
  request: ApprovalRequest,
  nowMs: number,
): NewEvent {
  const { id, action_id, capability_id, requester, subject, reason, expires_at } = request;
  const data = {
    approval_id: id,
    action_id,
    capability_id,
    requester,
    subject,
    reason,
    ...(expires_at === undefined ? {} : { expires_at }),
  };
  const made = actionEvent(owner, 'aip.approval.requested', requester, data, nowMs);
  return { ...made, event: { ...made.event, id: approvalEventId(id, 'pending_request') } };
}

/** What an event of an approval belongs to: the approval, and its action when there is one yet. */
export interface ApprovalEventOwner {
  readonly approval: {
    readonly approval_id: string;
    readonly action_id: string;
    readonly tenant_id: string | null;
    readonly requester_id: string;
  };
  readonly action: Pick<ActionRecord, 'session_id' | 'correlation_id'> | undefined;
}

/** The events that an approval has once, by the status it has then. */
export type OnceOnly = `${ApprovalState}_${'request' | 'decision' | 'result'}`;

/** A new event of an approval; `once` gives it an id that a repeat has too. It is visible to whom the action is. */
export function approvalEvent(
  { approval, action }: ApprovalEventOwner,
  kind: string,
  actor: Principal,
  data: Record<string, unknown>,
  nowMs: number,
  once?: OnceOnly,
): NewEvent {
  const owner = {
    action_id: approval.action_id,
    tenant_id: approval.tenant_id,
    principal_id: approval.requester_id,
    session_id: action?.session_id ?? null,
    correlation_id: action?.correlation_id ?? null,
  };
  const made = actionEvent(owner, kind, actor, data, nowMs);
  if (once === undefined) return made;
  return { ...made, event: { ...made.event, id: approvalEventId(approval.approval_id, once) } };
}

/** The id of an event that an approval has once. */
export function approvalEventId(approvalId: string, once: OnceOnly): string {
  return `evt_${approvalId}_${once}`;
}

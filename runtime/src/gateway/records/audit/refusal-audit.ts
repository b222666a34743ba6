import type { Pool } from '../../../postgres/pool.js';
import { StockExceeded } from '../../../protocol/errors.js';
import { isPlainId } from '../../../protocol/ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { Action, AuditEvent, Principal } from '../../../protocol/types.js';
import { keepWithinStock } from '../stock/admit.js';
import type { StockLimits } from '../stock/limits.js';

// Counted for each tenant by its action (migration refused-audit).
const INSERT = `
INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action_id, session_id, transaction_id, action, occurred_at, record)
VALUES ($1, $2, $3, $4, $5, $6, 'aip.action.refused', $7, $8::json)`;

/** An action that was refused before it was accepted. */
export interface RefusedAction {
  readonly action: Action;
  /** Who submitted it, with the tenant that the server verified. */
  readonly principal: Pick<Principal, 'id' | 'kind'>;
  readonly tenantId: string | undefined;
  readonly messageId: string;
  readonly sessionId: string | undefined;
  readonly correlationId: string | undefined;
  readonly code: string;
}

/**
 * Stores the audit event of a refused action, whose actor is its submitter (docs/protocol/records.md#receipts-and-audit). False: the tenant has as
 * many events of refusals as it may, and none was stored.
 */
export async function auditRefusal(
  { pool, stock }: { readonly pool: Pool; readonly stock: StockLimits },
  refused: RefusedAction,
  nowMs: number,
): Promise<boolean> {
  const { action, tenantId = null, sessionId = null } = refused;
  const event = refusalEvent(refused, nowMs);
  const values = [
    event.id,
    tenantId,
    event.actor.id,
    action.id,
    sessionId,
    action.transaction?.transaction_id ?? null,
    nowMs,
    JSON.stringify(event),
  ];
  try {
    await pool.tx(async (client) => {
      await client.query({ name: 'runtime.audit.refusal', text: INSERT, values });
      await keepWithinStock(client, stock, { kind: 'refused_audit', tenantId });
    });
    return true;
  } catch (error) {
    if (error instanceof StockExceeded) return false;
    throw error;
  }
}

/** A message is accepted once, so its id names the refusal. */
function refusalEvent(refused: RefusedAction, nowMs: number): AuditEvent {
  const { action, principal, messageId, sessionId, correlationId, code } = refused;
  const { transaction, approval } = action;
  return {
    id: `audit:message:${messageId}:refused`,
    actor: { id: principal.id, kind: principal.kind },
    action: 'aip.action.refused',
    occurred_at: formatTime(nowMs),
    data: {
      action_id: action.id,
      capability_id: action.capability_id,
      status: 'failed',
      session_id: sessionId ?? null,
      correlation_id: correlationId ?? null,
      error_code: code,
      ...(transaction && { mode: transaction.mode }),
      ...identifiersOf({ ...transaction, approval_id: approval?.approval_id }),
    },
  };
}

/** What the action names beside itself, as far as it has the form of an identifier: the rest is the sender's text of any length. */
function identifiersOf(named: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const members = ['transaction_id', 'plan_id', 'compensation_for', 'approval_id'].flatMap((member) => {
    const text = named[member];
    return text !== undefined && isPlainId(text) ? [[member, text]] : [];
  });
  return Object.fromEntries(members);
}

import type { Pool } from '../../../postgres/pool.js';
import { canonicalJson } from '../../../protocol/canonical.js';
import type { Clock } from '../../../protocol/clock.js';
import { AipError, EventTooLarge } from '../../../protocol/errors.js';
import { isPlainId, newId } from '../../../protocol/ids.js';
import { parseJson, plainJson } from '../../../protocol/json.js';
import { MAX_EVENT_BYTES } from '../../../protocol/limits.js';
import { formatTime, parseTime } from '../../../protocol/time.js';
import type { AuditEvent } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery } from '../../edge/query-authorization.js';
import { appendEvents } from '../../events/log/append.js';
import { redact } from '../../events/redact.js';
import { keepWithinStock } from '../stock/admit.js';
import type { StockLimits } from '../stock/limits.js';

/** Objects inside data that are searched for the ids that queries filter by. */
const MAX_SEARCHED = 10_000;

// Stores a submitted event; one of its tenant with the same id stays.
const INSERT = `
INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action_id, session_id, transaction_id, action, occurred_at, record, submitted)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, true)
ON CONFLICT (audit_id, tenant_key) WHERE submitted DO NOTHING
RETURNING audit_id`;

const READ = `SELECT record::text AS record FROM runtime.audit WHERE audit_id = $1 AND tenant_key = $2 AND submitted`;

/**
 * Stores an audit event of the caller (scope audit:write) and returns it as it is kept: redacted, with the verified tenant. The same event
 * again changes nothing. Throws `audit.not_authorized`, `auth.actor_mismatch` for another actor, `action.invalid_input`, EventTooLarge,
 * `audit.id_conflict` for an id of the tenant that names another event, and StockExceeded.
 */
export async function submitAuditEvent(
  deps: { readonly pool: Pool; readonly clock: Clock; readonly stock: StockLimits },
  identity: Identity,
  submitted: AuditEvent,
): Promise<AuditEvent> {
  const nowMs = deps.clock();
  const { principal, tenantId } = identity;
  authorizeQuery(identity, { object: 'audit', operation: 'write', principalId: principal.id }, nowMs);
  if (submitted.actor.id !== principal.id || submitted.actor.kind !== principal.kind)
    throw new AipError('auth.actor_mismatch', 'the actor of an audit event must be the authenticated principal');
  if (!isPlainId(submitted.id))
    throw new AipError(
      'action.invalid_input',
      'the id of an audit event must be 1 to 256 bytes without control characters',
    );
  const event = storedForm(submitted, identity);
  const text = JSON.stringify(event);
  if (Buffer.byteLength(text) > MAX_EVENT_BYTES)
    throw new EventTooLarge(undefined, { details: { event_id: event.id } });
  const ids = idsIn(plainJson(event.data));
  return deps.pool.tx(async (client) => {
    const written = await client.query({
      name: 'runtime.audit.submit',
      text: INSERT,
      values: [
        event.id,
        tenantId ?? null,
        principal.id,
        ids.action_id,
        ids.session_id,
        ids.transaction_id,
        event.action,
        parseTime(event.occurred_at),
        text,
      ],
    });
    if (written.rows.length > 0) {
      await keepWithinStock(client, deps.stock, { kind: 'submitted_audit', tenantId });
      const { id, actor, identity: context, action, occurred_at } = event;
      const data = { id, actor, ...(context && { identity: context }), action, occurred_at };
      const told = { id: newId('event'), kind: 'aip.audit.event', occurred_at: formatTime(nowMs), actor, data };
      await appendEvents(client, [{ event: told, tenantId, principalId: principal.id }]);
      return event;
    }
    const { rows } = await client.query<{ record: string }>({
      name: 'runtime.audit.submitted',
      text: READ,
      values: [event.id, tenantId ?? ''],
    });
    const known = parseJson(rows[0]?.record ?? 'null');
    if (canonicalJson(known) !== canonicalJson(parseJson(text))) throw new AipError('audit.id_conflict');
    return event;
  });
}

/** The event as it is kept: without secrets, and with the tenant that the server verified in the place of a claimed one. */
function storedForm({ identity: _claimed, ...event }: AuditEvent, { principal, tenantId }: Identity): AuditEvent {
  return {
    ...event,
    actor: { id: principal.id, kind: principal.kind },
    ...(tenantId !== undefined && { identity: { tenant: { id: tenantId } } }),
    ...(event.data !== undefined && { data: redact(event.data) }),
  };
}

type Ids = Record<'action_id' | 'session_id' | 'transaction_id', string | null>;

/** The first of each id anywhere inside data, level by level. */
function idsIn(data: unknown): Ids {
  const ids: Ids = { action_id: null, session_id: null, transaction_id: null };
  const open: unknown[] = [data];
  for (let index = 0; index < open.length && index < MAX_SEARCHED; index += 1) {
    const value = open[index];
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (name in ids && typeof member === 'string' && isPlainId(member)) ids[name as keyof Ids] ??= member;
      open.push(member);
    }
  }
  return ids;
}

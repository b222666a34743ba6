import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Envelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import { newId } from '../../protocol/ids.js';
import { formatTime } from '../../protocol/time.js';
import type { Bodies, Body, Escalation, EscalationResolution, Event } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { appendEvents } from '../events/log/append.js';
import { redact } from '../events/redact.js';
import { keepWithinStock } from '../records/stock/admit.js';
import type { StockLimits } from '../records/stock/limits.js';
import { resumeAfterHuman, waitForHuman } from './human.js';

/** Bytes of one escalation or resolution. */
const MAX_BYTES = 65_536;

const INSERT = `
INSERT INTO runtime.escalations (tenant_id, principal_id, session_id, correlation_id, kind, record, recorded_at)
VALUES ($1, $2, $3, $4, $5, $6::json, $7)`;

// The escalation that a resolution of the same tenant answers.
const FIND = `
SELECT principal_id, session_id FROM runtime.escalations
WHERE correlation_id = $1 AND tenant_id IS NOT DISTINCT FROM $2 AND kind = 'escalation' ORDER BY seq DESC LIMIT 1`;

type Deps = { readonly pool: Pool; readonly clock: Clock; readonly stock: StockLimits };

/** The answers to escalations and their resolutions: stored, announced as an event, and shown in the session that waits. */
export const ESCALATION_ANSWERS = {
  escalation: async (deps: Deps, identity: Identity, body: Bodies['escalation'], envelope: Envelope): Promise<Body> => {
    if (!samePrincipal(body.requested_by, identity.principal))
      throw new AipError('auth.actor_mismatch', 'requested_by must be the authenticated caller');
    return record(deps, identity, envelope, 'escalation', body);
  },

  escalation_resolution: async (
    deps: Deps,
    identity: Identity,
    body: Bodies['escalation_resolution'],
    envelope: Envelope,
  ): Promise<Body> => {
    if (!samePrincipal(body.resolved_by, identity.principal))
      throw new AipError('auth.actor_mismatch', 'resolved_by must be the authenticated caller');
    return record(deps, identity, envelope, 'resolution', body);
  },
};

async function record(
  deps: Deps,
  identity: Identity,
  envelope: Envelope,
  kind: 'escalation' | 'resolution',
  body: Escalation | EscalationResolution,
): Promise<Body> {
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new AipError(
      'action.invalid_input',
      `an ${kind === 'escalation' ? kind : 'escalation resolution'} must have at most ${MAX_BYTES} bytes`,
    );
  const nowMs = deps.clock();
  const tenantId = identity.tenantId ?? null;
  const { principal } = identity;
  const { session_id, correlation_id } = envelope;
  const event: Event = {
    id: newId('event'),
    kind: kind === 'escalation' ? 'aip.escalation.requested' : 'aip.escalation.resolved',
    occurred_at: formatTime(nowMs),
    ...(session_id !== undefined && { session_id }),
    ...(correlation_id !== undefined && { correlation_id }),
    actor: { id: principal.id, kind: principal.kind },
    data: dataOf(body),
  };
  const open = await deps.pool.tx(async (client) => {
    const { rows } = await client.query<{ principal_id: string; session_id: string | null }>({
      name: 'runtime.escalation.find',
      text: FIND,
      values: [correlation_id ?? null, tenantId],
    });
    const answered = kind === 'resolution' ? rows[0] : undefined;
    await client.query({
      name: 'runtime.escalation.record',
      text: INSERT,
      values: [tenantId, principal.id, session_id ?? null, correlation_id ?? null, kind, text, nowMs],
    });
    await keepWithinStock(client, deps.stock, { kind: 'escalations', tenantId });
    if (kind === 'escalation' && session_id !== undefined)
      await waitForHuman(client, { sessionId: session_id, tenantId, principalId: principal.id }, nowMs);
    if (answered?.session_id)
      await resumeAfterHuman(
        client,
        { sessionId: answered.session_id, tenantId, principalId: answered.principal_id },
        nowMs,
      );
    // Who escalated sees the resolution among its own events.
    const owner = answered?.principal_id ?? principal.id;
    await appendEvents(client, [{ event, ...(tenantId !== null && { tenantId }), principalId: owner }]);
    return event;
  });
  return { event_stream: { events: [{ ...open, data: redact(open.data) }] } };
}

function dataOf(body: Escalation | EscalationResolution): Record<string, unknown> {
  if ('status' in body) {
    const { status, resolved_by, resolved_at, result } = body;
    return { status, resolved_by, resolved_at, ...(result !== undefined && { result }) };
  }
  const { kind, reason, risk, timeout_ms, form, allowed_decisions } = body;
  return {
    kind,
    reason,
    ...(risk !== undefined && { risk }),
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(form !== undefined && { form }),
    ...(allowed_decisions !== undefined && { allowed_decisions }),
  };
}

import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import type { BodyKey, Envelope } from '../../../protocol/envelope.js';
import { newId } from '../../../protocol/ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { Bodies, Event, EventStream } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { appendEvents } from '../../events/log/append.js';
import { redact } from '../../events/redact.js';
import { OBSERVED } from './observed.js';

/** Whether a body is recorded as an observation. */
export function isObserved(key: BodyKey): boolean {
  return OBSERVED[key] !== undefined;
}

/**
 * Records a received body as one event of its sender and returns that event. The event names no action: whoever sends a
 * body must not write into the events of an action by naming it. Throws EventTooLarge.
 */
export async function recordObservation<K extends BodyKey>(
  deps: { pool: Pool; clock: Clock },
  identity: Identity,
  key: K,
  body: Bodies[K],
  envelope: Envelope,
): Promise<EventStream> {
  const observation = OBSERVED[key] as { kind: string; data: (body: Bodies[K]) => unknown };
  const { session_id, correlation_id } = envelope;
  const { principal, tenantId } = identity;
  const data = observation.data(body) as object;
  const event: Event = {
    id: newId('event'),
    kind: observation.kind,
    occurred_at: formatTime(deps.clock()),
    ...(session_id !== undefined && { session_id }),
    ...(correlation_id !== undefined && { correlation_id }),
    actor: { id: principal.id, kind: principal.kind },
    data: { ...data, ...(tenantId !== undefined && { identity: { tenant: { id: tenantId } } }) },
  };
  await deps.pool.tx((client) => appendEvents(client, [{ event, tenantId, principalId: principal.id }]));
  return { events: [{ ...event, data: redact(event.data) }] };
}

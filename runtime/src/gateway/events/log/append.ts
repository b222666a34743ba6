import type { Queryable } from '../../../postgres/pool.js';
import { EventEncodingFailed, EventTooLarge } from '../../../protocol/errors.js';
import { MAX_EVENT_BYTES } from '../../../protocol/limits.js';
import { parseTime } from '../../../protocol/time.js';
import type { Event } from '../../../protocol/types.js';
import { redact } from '../redact.js';

/** Channel of the notification that shortens the wait of every gateway's tail. */
export const EVENTS_CHANNEL = 'aip_events';

/**
 * A commit that notifies takes a lock of the whole server, so one process does it at most this often, in milliseconds.
 */
const NOTIFY_EVERY_MS = 20;

/** An event to be stored. `tenantId` and `principalId` are the owners that visibility goes by; absent: none. */
export interface NewEvent {
  readonly event: Event;
  readonly tenantId?: string | undefined;
  readonly principalId?: string | undefined;
}

// A provider may publish what occurred long ago: the time that retention goes by is never before the event came here.
// Appends events in the order given and wakes the tails when $9 says so: one statement, so that it costs one round
// trip.
const APPEND = `
WITH appended AS (
  INSERT INTO runtime.events (event_id, kind, action_id, session_id, tenant_id, principal_id, occurred_at, record)
  SELECT event_id, kind, action_id, session_id, tenant_id, principal_id,
    greatest(occurred_at, (extract(epoch FROM now()) * 1000)::bigint), record::json
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[])
    WITH ORDINALITY AS e(event_id, kind, action_id, session_id, tenant_id, principal_id, occurred_at, record, position)
  ORDER BY position
)
SELECT CASE WHEN $9::boolean THEN pg_notify('${EVENTS_CHANNEL}', '') END`;

let notifiedAt = 0;

/**
 * Stores events in the transaction of `client`, in the order given, and notifies the tails once. `data` is redacted
 * (docs/protocol/actions.md#redaction). Throws EventTooLarge for a record above `maxBytes` and EventEncodingFailed for one that has no JSON
 * form; the caller's transaction must then end. A tail looks again shortly after it was woken, so that notifications
 * may be left out between.
 */
export async function appendEvents(
  client: Queryable,
  events: readonly NewEvent[],
  maxBytes: number = MAX_EVENT_BYTES,
): Promise<void> {
  if (events.length === 0) return;
  const now = performance.now();
  const notify = now - notifiedAt >= NOTIFY_EVERY_MS;
  await client.query({
    name: 'runtime.events.append',
    text: APPEND,
    values: [
      events.map(({ event }) => plainText(event.id)),
      events.map(({ event }) => plainText(event.kind)),
      events.map(({ event }) => event.action_id ?? null),
      events.map(({ event }) => event.session_id ?? null),
      events.map(({ tenantId }) => tenantId ?? null),
      events.map(({ principalId }) => principalId ?? null),
      events.map(({ event }) => parseTime(event.occurred_at)),
      events.map(({ event }) => recordOf(event, maxBytes)),
      notify,
    ],
  });
  if (notify) notifiedAt = now;
}

/** The stored JSON text of an event: redacted and within its bound. */
function recordOf(event: Event, maxBytes: number): string {
  const data = redact(event.data);
  const text = encoded(data === event.data ? event : { ...event, data });
  if (Buffer.byteLength(text) > maxBytes) throw new EventTooLarge(undefined, { details: { event_id: event.id } });
  return text;
}

function encoded(event: Event): string {
  try {
    return JSON.stringify(event);
  } catch (cause) {
    throw new EventEncodingFailed(undefined, { details: { event_id: event.id }, cause });
  }
}

/** The database takes no NUL in text. */
function plainText(text: string): string {
  if (text.includes('\0')) throw new EventEncodingFailed('an event id or kind holds a NUL character');
  return text;
}

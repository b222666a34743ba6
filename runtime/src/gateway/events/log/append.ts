import type { Queryable } from '../../../postgres/pool.js';
import { EventEncodingFailed, EventTooLarge } from '../../../protocol/errors.js';
import { MAX_EVENT_BYTES } from '../../../protocol/limits.js';
import { parseTime } from '../../../protocol/time.js';
import type { Event } from '../../../protocol/types.js';
import { redact } from '../redact.js';

/** What the tails of this process are announced new events on, and those of other processes notified. */
export const EVENTS_CHANNEL = 'aip_events';

/** An event to be stored. `tenantId` and `principalId` are the owners that decide visibility; absent: none. */
export interface NewEvent {
  readonly event: Event;
  readonly tenantId?: string | undefined;
  readonly principalId?: string | undefined;
}

/** The columns of a new event, in the order of eventArrays and eventColumns. */
export const EVENT_COLUMNS = 'event_id, kind, action_id, session_id, tenant_id, principal_id, occurred_at, record';

/**
 * What is stored of an event `e` with these columns. A provider may publish what occurred long ago: the time that retention uses is
 * never before the event came here.
 */
export const EVENT_VALUES = `e.event_id, e.kind, e.action_id, e.session_id, e.tenant_id, e.principal_id,
  greatest(e.occurred_at, (extract(epoch FROM now()) * 1000)::bigint), e.record::json`;

// Appends events in the order given.
const APPEND = `
INSERT INTO runtime.events (${EVENT_COLUMNS})
SELECT ${EVENT_VALUES} FROM unnest(${eventArrays(1)}) WITH ORDINALITY AS e(${EVENT_COLUMNS}, place) ORDER BY e.place`;

/**
 * Stores events in the transaction of `client`, in the order given, and announces them once it has committed. `data` is redacted
 * (docs/protocol/actions.md#redaction). Throws EventTooLarge for a record above `maxBytes` and EventEncodingFailed for one that has no JSON
 * form; the caller's transaction must then end.
 */
export async function appendEvents(
  client: Queryable,
  events: readonly NewEvent[],
  maxBytes: number = MAX_EVENT_BYTES,
): Promise<void> {
  if (events.length === 0) return;
  await client.query({ name: 'runtime.events.append', text: APPEND, values: eventColumns(events, maxBytes) });
  client.announce?.(EVENTS_CHANNEL);
}

/** The parameters of the columns of new events, from number `first` on. */
export function eventArrays(first: number): string {
  const types = ['text', 'text', 'text', 'text', 'text', 'text', 'bigint', 'text'];
  return types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

/** The columns of new events; throws as appendEvents does. */
export function eventColumns(events: readonly NewEvent[], maxBytes: number = MAX_EVENT_BYTES): unknown[][] {
  return [
    events.map(({ event }) => plainText(event.id)),
    events.map(({ event }) => plainText(event.kind)),
    events.map(({ event }) => event.action_id ?? null),
    events.map(({ event }) => event.session_id ?? null),
    events.map(({ tenantId }) => tenantId ?? null),
    events.map(({ principalId }) => principalId ?? null),
    events.map(({ event }) => parseTime(event.occurred_at)),
    events.map(({ event }) => recordOf(event, maxBytes)),
  ];
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

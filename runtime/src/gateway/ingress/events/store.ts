import type { Pool, Queryable } from '../../../postgres/pool.js';
import { isUniqueViolation } from '../../../postgres/unique-violation.js';
import { normalForm } from '../../../protocol/decode/normal-form.js';
import { AipError } from '../../../protocol/errors.js';
import { parseJson } from '../../../protocol/json.js';
import type { Event } from '../../../protocol/types.js';
import { retry } from '../../../time/retry.js';
import { appendEvents } from '../../events/log/append.js';
import { sameContent } from './equivalence.js';

/** Attempts when another envelope claims one of the ids at the same moment. */
const CLAIM_ATTEMPTS = 4;

// The retained form of a tenant's events by their ids: ids are unique within a tenant.
const READ_RETAINED = `
SELECT event_id, record::text AS record FROM runtime.events WHERE event_id = ANY($1::text[]) AND tenant_id = $2`;

/** The enriched events of one envelope and whose they are. */
interface Publication {
  events: readonly Event[];
  tenantId: string;
  /** Bound of a stored record; an event that passed its own bound may grow by the marks of what was redacted. */
  maxRecordBytes: number;
}

/**
 * Stores the enriched events of one envelope in their order, all or none, and returns the retained form of each: for an id that was
 * stored before with equivalent content the first stored form. Throws `connector_event.idempotency_conflict` when an id has other content.
 */
export function storeEvents(pool: Pool, publication: Publication): Promise<Event[]> {
  return retry(() => pool.tx((client) => claim(client, publication)), {
    attempts: CLAIM_ATTEMPTS,
    delayMs: () => 0,
    retryable: isUniqueViolation,
  });
}

async function claim(client: Queryable, { events, tenantId, maxRecordBytes }: Publication): Promise<Event[]> {
  const ids = [...new Set(events.map((event) => event.id))];
  const stored = await client.query<{ event_id: string; record: string }>({
    name: 'runtime.ingress.retained',
    text: READ_RETAINED,
    values: [ids, tenantId],
  });
  const retained = new Map(stored.rows.map((row) => [row.event_id, normalForm('Event', parseJson(row.record))]));
  const fresh: Event[] = [];
  for (const event of events) {
    const before = retained.get(event.id);
    if (before === undefined) {
      retained.set(event.id, event);
      fresh.push(event);
    } else if (!sameContent(before, event)) {
      throw new AipError(
        'connector_event.idempotency_conflict',
        `the event ${JSON.stringify(event.id.slice(0, 128))} was published before with other content`,
      );
    }
  }
  if (fresh.length > 0) {
    await appendEvents(
      client,
      fresh.map((event) => ({ event, tenantId })),
      maxRecordBytes,
    );
  }
  return events.map((event) => retained.get(event.id) as Event);
}

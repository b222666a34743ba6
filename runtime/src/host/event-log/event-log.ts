import { groupCommit } from '../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../postgres/pool.js';
import { removalByAge, removeExpired } from '../../postgres/retention/expired-rows.js';
import type { Clock } from '../../protocol/clock.js';
import { parseJson } from '../../protocol/json.js';
import type { Event } from '../../protocol/types.js';

/** Provider events of an instance as they were first made; durable, shared by its replicas. Everything throws StorageUnavailable. */
export interface EventLog {
  /** Appends the event, or returns the one that has its id already: the id alone decides. */
  append(event: Event): Promise<Event>;
  /** Removes events that were appended before this time (milliseconds since the epoch), in batches until `signal` fires; returns how many. */
  prune(before: number, signal?: AbortSignal): Promise<number>;
}

/** Many events in one commit. The update without effect returns the stored event of an id that is taken, also one of a moment ago. */
const APPEND = `
INSERT INTO events (instance_id, event_id, event, appended_at)
SELECT $1, g.event_id, g.event::json, $4 FROM unnest($2::text[], $3::text[]) AS g(event_id, event) ORDER BY g.event_id
ON CONFLICT (instance_id, event_id) DO UPDATE SET event_id = events.event_id
RETURNING event_id, event::text AS event`;

const PRUNE = removalByAge({ table: 'events', at: 'appended_at', where: 'instance_id = $4' });

const MAX_BATCH = 128;

/** Opens the local event log in the host's own schema. */
export function openEventLog({ pool, instanceId, clock }: { pool: Pool; instanceId: string; clock: Clock }): EventLog {
  const appendAll = async (client: Queryable, events: readonly Event[]): Promise<Event[]> => {
    // The first of those with one id; a statement may touch a row once.
    const first = new Map([...events].reverse().map((event) => [event.id, event]));
    const { rows } = await client.query<{ event_id: string; event: string }>({
      name: 'host_events_append',
      text: APPEND,
      values: [instanceId, [...first.keys()], [...first.values()].map((event) => JSON.stringify(event)), clock()],
    });
    const stored = new Map(rows.map(({ event_id, event }) => [event_id, parseJson(event) as Event]));
    return events.map(({ id }) => stored.get(id) as Event);
  };
  return {
    append: groupCommit({ pool, name: 'host.events', maxBatch: MAX_BATCH, run: appendAll, single: () => true }),
    prune: (before, signal) => removeExpired(pool, { text: PRUNE, before, values: [instanceId] }, signal),
  };
}

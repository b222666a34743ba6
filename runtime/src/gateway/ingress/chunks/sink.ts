import { groupCommit } from '../../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { IngressNotAuthorized } from '../../../protocol/errors.js';
import { parseJson } from '../../../protocol/json.js';
import type { Callback, Event, StreamChunk } from '../../../protocol/types.js';
import type { ActionState } from '../../actions/record/states.js';
import { chunkDelivery, type NewDelivery } from '../../callbacks/delivery.js';
import { insertDeliveries } from '../../callbacks/record.js';
import { appendEvents, type NewEvent } from '../../events/log/append.js';
import { chunkEvent } from './chunk-event.js';
import { decideChunk, type StreamPosition } from './order.js';

const MAX_BATCH = 256;

/** Stores one chunk. Returns its event, or undefined for a replay. Throws IngressNotAuthorized for a chunk that does not fit the stream. */
export type ChunkSink = (chunk: StreamChunk) => Promise<Event | undefined>;

// Locks the actions of a batch, so that the chunks of one action are ordered over all processes. In order of id: no deadlock between batches.
const LOCK_ACTIONS = `
SELECT action_id, mode, state, tenant_id, principal_id, principal_kind, session_id, correlation_id, last_chunk_sequence,
  (request->'callback')::text AS callback
FROM runtime.actions WHERE action_id = ANY($1::text[]) ORDER BY action_id FOR NO KEY UPDATE`;

// The chunks that a batch may repeat, and the last one of each stream. A statement of its own: it must see what was committed while
// the lock was waited for.
const READ_CHUNKS = `
SELECT c.action_id, c.sequence, c.record::text AS record
FROM runtime.chunks c JOIN unnest($1::text[], $2::bigint[]) AS asked(action_id, sequence) USING (action_id, sequence)`;

// Stores the new chunks of a batch and moves their actions on; the first chunk turns a running action into a streaming one.
const STORE_CHUNKS = `
WITH item AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS i(action_id, sequence, kind, record)
), stored AS (
  INSERT INTO runtime.chunks (action_id, sequence, kind, received_at, record)
  SELECT action_id, sequence, kind, $5, record::json FROM item
)
UPDATE runtime.actions a SET
  state = CASE WHEN a.state = 'running' THEN 'streaming' ELSE a.state END, last_chunk_sequence = last.sequence, updated_at = $5
FROM (SELECT action_id, max(sequence) AS sequence FROM item GROUP BY action_id) last
WHERE a.action_id = last.action_id`;

interface ActionRow {
  action_id: string;
  mode: string;
  state: ActionState;
  tenant_id: string | null;
  principal_id: string;
  principal_kind: string;
  session_id: string | null;
  correlation_id: string | null;
  last_chunk_sequence: number | null;
  callback: string | null;
}

/**
 * Opens the durable sink of stream chunks. Chunk, event and delivery to a callback are written in one transaction, ordered by the action's row: any gateway
 * process may take any chunk. Chunks that arrive while a commit is under way go into the next one together.
 */
export function openChunkSink(deps: { pool: Pool; clock: Clock }): ChunkSink {
  return groupCommit<StreamChunk, Event | undefined>({
    pool: deps.pool,
    name: 'runtime.chunks',
    maxBatch: MAX_BATCH,
    run: (client, chunks) => storeBatch(client, chunks, deps.clock()),
  });
}

async function storeBatch(
  client: Queryable,
  chunks: readonly StreamChunk[],
  now: number,
): Promise<(Event | undefined | Error)[]> {
  const actions = await lockActions(client, chunks);
  const stored = await readChunks(client, chunks, actions);
  const positions = new Map<string, StreamPosition>();
  for (const [id, row] of actions) {
    const last = row.last_chunk_sequence === null ? undefined : stored.get(keyOf(id, row.last_chunk_sequence));
    positions.set(id, {
      mode: row.mode,
      state: row.state,
      lastSequence: row.last_chunk_sequence,
      lastKind: last?.kind ?? null,
    });
  }

  const fresh: StreamChunk[] = [];
  const events: NewEvent[] = [];
  const deliveries: NewDelivery[] = [];
  const outcomes = chunks.map((chunk) => {
    const key = keyOf(chunk.action_id, chunk.sequence);
    const position = positions.get(chunk.action_id);
    const decision = decideChunk(chunk, position, stored.get(key));
    if (decision === 'replay') return undefined;
    if (decision !== 'store') return new IngressNotAuthorized(decision.refused);
    const action = actions.get(chunk.action_id) as ActionRow;
    const event = chunkEvent(chunk, action, now);
    stored.set(key, chunk);
    positions.set(chunk.action_id, {
      ...(position as StreamPosition),
      lastSequence: chunk.sequence,
      lastKind: chunk.kind,
    });
    fresh.push(chunk);
    const callback = action.callback === null ? undefined : (parseJson(action.callback) as Callback);
    const delivery = callback && chunkDelivery(action, callback, chunk, now);
    if (delivery) deliveries.push(delivery);
    events.push({
      event,
      ...(action.tenant_id !== null && { tenantId: action.tenant_id }),
      principalId: action.principal_id,
    });
    return event;
  });
  if (fresh.length > 0) {
    await client.query({
      name: 'runtime.chunks.store',
      text: STORE_CHUNKS,
      values: [
        fresh.map((chunk) => chunk.action_id),
        fresh.map((chunk) => chunk.sequence),
        fresh.map((chunk) => chunk.kind),
        fresh.map((chunk) => JSON.stringify(chunk)),
        now,
      ],
    });
    await insertDeliveries(client, deliveries);
    await appendEvents(client, events);
  }
  return outcomes;
}

async function lockActions(client: Queryable, chunks: readonly StreamChunk[]): Promise<Map<string, ActionRow>> {
  const ids = [...new Set(chunks.map((chunk) => chunk.action_id))];
  const found = await client.query<ActionRow>({ name: 'runtime.chunks.lock', text: LOCK_ACTIONS, values: [ids] });
  return new Map(found.rows.map((row) => [row.action_id, row]));
}

async function readChunks(
  client: Queryable,
  chunks: readonly StreamChunk[],
  actions: ReadonlyMap<string, ActionRow>,
): Promise<Map<string, StreamChunk>> {
  const asked = chunks.map(({ action_id, sequence }) => ({ action_id, sequence }));
  for (const { action_id, last_chunk_sequence } of actions.values()) {
    if (last_chunk_sequence !== null) asked.push({ action_id, sequence: last_chunk_sequence });
  }
  const found = await client.query<{ action_id: string; sequence: number; record: string }>({
    name: 'runtime.chunks.read',
    text: READ_CHUNKS,
    values: [asked.map((each) => each.action_id), asked.map((each) => each.sequence)],
  });
  return new Map(found.rows.map((row) => [keyOf(row.action_id, row.sequence), parseJson(row.record) as StreamChunk]));
}

function keyOf(actionId: string, sequence: number): string {
  return `${sequence}:${actionId}`;
}

import { groupCommit } from '../../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../../postgres/pool.js';
import { objectWith } from '../../../postgres/unreadable-json.js';
import type { Clock } from '../../../protocol/clock.js';
import { actionKey, actionRef } from '../../../protocol/content/action-ref.js';
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

/** A chunk of an action of a tenant; null: outside every tenant. */
export interface OwnedChunk {
  readonly chunk: StreamChunk;
  readonly tenantId: string | null;
}

/** Stores one chunk. Returns its event, or undefined for a replay. Throws IngressNotAuthorized for a chunk that does not fit the stream. */
export type ChunkSink = (owned: OwnedChunk) => Promise<Event | undefined>;

// Locks the actions of a batch, so that the chunks of one action are ordered over all processes. In order of id and tenant: no deadlock between batches.
const LOCK_ACTIONS = `
SELECT a.action_id, a.mode, a.state, a.tenant_id, a.principal_id, a.principal_kind, a.session_id, a.correlation_id, a.last_chunk_sequence,
  ${objectWith('a.request', 'callback')} AS request
FROM runtime.actions a WHERE a.action_id = ANY($1::text[])
  AND EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS i(action_id, tenant_id)
    WHERE i.action_id = a.action_id AND i.tenant_id IS NOT DISTINCT FROM a.tenant_id)
ORDER BY a.action_id, a.tenant_id FOR NO KEY UPDATE`;

// The chunks that a batch may repeat, and the last one of each stream. A statement of its own: it must see what was committed while
// the lock was waited for.
const READ_CHUNKS = `
SELECT c.action_id, c.tenant_key, c.sequence, c.record::text AS record
FROM runtime.chunks c JOIN unnest($1::text[], $2::bigint[], $3::text[]) AS asked(action_id, sequence, tenant_key)
  USING (action_id, tenant_key, sequence)`;

// Stores the new chunks of a batch and moves their actions on; the first chunk turns a running action into a streaming one.
const STORE_CHUNKS = `
WITH item AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $6::text[]) AS i(action_id, sequence, kind, record, tenant_key)
), stored AS (
  INSERT INTO runtime.chunks (action_id, tenant_key, sequence, kind, received_at, record)
  SELECT action_id, tenant_key, sequence, kind, $5, record::json FROM item
)
UPDATE runtime.actions a SET
  state = CASE WHEN a.state = 'running' THEN 'streaming' ELSE a.state END, last_chunk_sequence = last.sequence, updated_at = $5
FROM (SELECT action_id, tenant_key, max(sequence) AS sequence FROM item GROUP BY action_id, tenant_key) last
WHERE a.action_id = last.action_id AND COALESCE(a.tenant_id, '') = last.tenant_key`;

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
  request: string;
}

/**
 * Opens the durable sink of stream chunks. Chunk, event and delivery to a callback are written in one transaction, ordered by the action's row: any gateway
 * process may take any chunk. Chunks that arrive while a commit is under way go into the next one together.
 */
export function openChunkSink(deps: { pool: Pool; clock: Clock }): ChunkSink {
  return groupCommit<OwnedChunk, Event | undefined>({
    pool: deps.pool,
    name: 'runtime.chunks',
    maxBatch: MAX_BATCH,
    run: (client, chunks) => storeBatch(client, chunks, deps.clock()),
  });
}

async function storeBatch(
  client: Queryable,
  chunks: readonly OwnedChunk[],
  now: number,
): Promise<(Event | undefined | Error)[]> {
  const actions = await lockActions(client, chunks);
  const stored = await readChunks(client, chunks, actions);
  const positions = new Map<string, StreamPosition>();
  for (const [action, row] of actions) {
    const last = row.last_chunk_sequence === null ? undefined : stored.get(keyOf(action, row.last_chunk_sequence));
    positions.set(action, {
      mode: row.mode,
      state: row.state,
      lastSequence: row.last_chunk_sequence,
      lastKind: last?.kind ?? null,
    });
  }

  const fresh: OwnedChunk[] = [];
  const events: NewEvent[] = [];
  const deliveries: NewDelivery[] = [];
  const outcomes = chunks.map((owned) => {
    const { chunk } = owned;
    const name = actionOf(owned);
    const key = keyOf(name, chunk.sequence);
    const position = positions.get(name);
    const decision = decideChunk(chunk, position, stored.get(key));
    if (decision === 'replay') return undefined;
    if (decision !== 'store') return new IngressNotAuthorized(decision.refused);
    const action = actions.get(name) as ActionRow;
    const event = chunkEvent(chunk, action, now);
    stored.set(key, chunk);
    positions.set(name, {
      ...(position as StreamPosition),
      lastSequence: chunk.sequence,
      lastKind: chunk.kind,
    });
    fresh.push(owned);
    const { callback } = parseJson(action.request) as { callback?: Callback | null };
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
        fresh.map(({ chunk }) => chunk.action_id),
        fresh.map(({ chunk }) => chunk.sequence),
        fresh.map(({ chunk }) => chunk.kind),
        fresh.map(({ chunk }) => JSON.stringify(chunk)),
        now,
        fresh.map(({ tenantId }) => tenantId ?? ''),
      ],
    });
    await insertDeliveries(client, deliveries);
    await appendEvents(client, events);
  }
  return outcomes;
}

/** The actions of chunks by their actionKey. */
async function lockActions(client: Queryable, chunks: readonly OwnedChunk[]): Promise<Map<string, ActionRow>> {
  const actions = [...new Map(chunks.map((owned) => [actionOf(owned), owned])).values()];
  const found = await client.query<ActionRow>({
    name: 'runtime.chunks.lock',
    text: LOCK_ACTIONS,
    values: [actions.map(({ chunk }) => chunk.action_id), actions.map(({ tenantId }) => tenantId)],
  });
  return new Map(found.rows.map((row) => [actionKey(actionRef(row)), row]));
}

async function readChunks(
  client: Queryable,
  chunks: readonly OwnedChunk[],
  actions: ReadonlyMap<string, ActionRow>,
): Promise<Map<string, StreamChunk>> {
  const asked = chunks.map(({ chunk: { action_id, sequence }, tenantId }) => ({ action_id, sequence, tenantId }));
  for (const { action_id, tenant_id: tenantId, last_chunk_sequence } of actions.values()) {
    if (last_chunk_sequence !== null) asked.push({ action_id, sequence: last_chunk_sequence, tenantId });
  }
  const found = await client.query<{ action_id: string; tenant_key: string; sequence: number; record: string }>({
    name: 'runtime.chunks.read',
    text: READ_CHUNKS,
    values: [
      asked.map((each) => each.action_id),
      asked.map((each) => each.sequence),
      asked.map((each) => each.tenantId ?? ''),
    ],
  });
  return new Map(
    found.rows.map(({ action_id, tenant_key, sequence, record }) => {
      const action = actionKey({ actionId: action_id, tenantId: tenant_key === '' ? null : tenant_key });
      return [keyOf(action, sequence), parseJson(record) as StreamChunk];
    }),
  );
}

function actionOf({ chunk, tenantId }: OwnedChunk): string {
  return actionKey({ actionId: chunk.action_id, tenantId });
}

function keyOf(action: string, sequence: number): string {
  return `${sequence}:${action}`;
}

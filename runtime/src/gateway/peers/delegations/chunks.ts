import type { Queryable } from '../../../postgres/pool.js';
import { chunkEventId } from '../../../protocol/content/chunk-ids.js';
import { NotAuthorized } from '../../../protocol/errors.js';
import { parseJson } from '../../../protocol/json.js';
import { formatTime } from '../../../protocol/time.js';
import type { Event, StreamChunk } from '../../../protocol/types.js';
import { chunkDelivery } from '../../callbacks/delivery.js';
import { insertDeliveries } from '../../callbacks/record.js';
import { appendEvents } from '../../events/log/append.js';
import { redact } from '../../events/redact.js';
import { decideChunk } from '../../ingress/chunks/order.js';
import { subjectOf } from './end.js';
import { lockDelegationsOfChild, moveStream, type StoredDelegation } from './record.js';
import { isTerminal } from './rules.js';

const READ_EVENT = `
SELECT record::text AS record FROM runtime.events WHERE event_id = $1 AND tenant_id IS NOT DISTINCT FROM $2`;

/**
 * Stores a chunk of a delegated child action in the transaction of `client`: one event of the requester, and a message to the delegation's
 * callback when that requests chunks. Returns the event, none for a replay, and undefined when `mine` has no delegation with this child.
 * Throws NotAuthorized for a child that does not stream, a delegation that has ended, and a chunk that does not follow the last one.
 */
export async function takeChunk(
  client: Queryable,
  chunk: StreamChunk,
  mine: (delegation: StoredDelegation) => boolean,
  nowMs: number,
): Promise<Event[] | undefined> {
  const known = (await lockDelegationsOfChild(client, chunk.action_id)).filter(mine);
  if (known.length === 0) return undefined;
  const [delegation, other] = known.filter(({ status }) => !isTerminal(status));
  if (!delegation) throw new NotAuthorized('the delegation of the action has ended');
  // A chunk names its child action alone.
  if (other) throw new NotAuthorized('several delegations have a child action of this id');
  const own = { ...chunk, action_id: delegation.child_action_id };
  const clean = redact(own);
  const { child_action: child, callback } = delegation.request;
  const position = {
    mode: child.mode ?? 'sync',
    state: 'streaming' as const,
    lastSequence: delegation.last_chunk_sequence,
    lastKind: delegation.last_chunk_kind,
  };
  const decision = decideChunk(clean, position, await storedChunk(client, delegation, own));
  if (decision === 'replay') return [];
  if (decision !== 'store') throw new NotAuthorized(decision.refused);
  await moveStream(client, delegation, chunk);
  const event = eventOf(delegation, clean, nowMs);
  const { tenant_id, principal_id: principalId } = delegation;
  await appendEvents(client, [{ event, tenantId: tenant_id ?? undefined, principalId }]);
  const delivery = callback && chunkDelivery(subjectOf(delegation), callback, own, nowMs);
  if (delivery) await insertDeliveries(client, [delivery]);
  return [event];
}

/** The chunk that was stored under this sequence. Another event of this id is another action's: nothing equals its chunk. */
async function storedChunk(
  client: Queryable,
  { delegation_id, tenant_id }: StoredDelegation,
  { action_id, sequence }: StreamChunk,
): Promise<StreamChunk | undefined> {
  const { rows } = await client.query<{ record: string }>({
    name: 'runtime.delegations.stored_chunk',
    text: READ_EVENT,
    values: [chunkEventId(action_id, sequence), tenant_id],
  });
  if (!rows[0]) return undefined;
  const { data } = parseJson(rows[0].record) as { data?: { delegation_id?: string; chunk?: StreamChunk } };
  return data?.delegation_id === delegation_id && data.chunk ? data.chunk : ({} as StreamChunk);
}

/** The event holds the chunk: the child action itself is at its delegate. */
function eventOf({ delegation_id, request }: StoredDelegation, chunk: StreamChunk, nowMs: number): Event {
  const { action_id, sequence, kind } = chunk;
  const { parent_action_id, delegate } = request;
  return {
    id: chunkEventId(action_id, sequence),
    kind: 'aip.stream.chunk',
    occurred_at: formatTime(nowMs),
    actor: { id: delegate.id, kind: delegate.kind },
    data: { action_id, sequence, kind, delegation_id, parent_action_id, chunk },
  };
}

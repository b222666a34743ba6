import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { AipError, IngressNotAuthorized, NotAuthorized } from '../../../protocol/errors.js';
import { MAX_EVENT_BYTES } from '../../../protocol/limits.js';
import type { Event, StreamChunk } from '../../../protocol/types.js';
import { reachedAction } from '../../actions/record/read.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery } from '../../edge/query-authorization.js';
import type { ChunkSink } from '../../ingress/chunks/sink.js';
import type { Delegations } from '../delegations/open.js';

/**
 * Stores one chunk of a streaming action that a peer sends (docs/protocol/actions.md#chunks) and returns its event; a chunk that was stored
 * before changes nothing. Needs action:write on the action, or comes from the delegate whose child action it is. Throws `action.invalid_input` for
 * one that is too large, and NotAuthorized for an action that the caller may not write or that is not streaming, and for a chunk that does not follow
 * the last one.
 */
export async function reportChunk(
  deps: { readonly pool: Pool; readonly clock: Clock; readonly chunks: ChunkSink; readonly delegations: Delegations },
  identity: Identity,
  chunk: StreamChunk,
): Promise<Event[]> {
  if (Buffer.byteLength(JSON.stringify(chunk)) > MAX_EVENT_BYTES)
    throw new AipError('action.invalid_input', `a chunk is at most ${MAX_EVENT_BYTES} bytes`);
  if (!Number.isSafeInteger(chunk.sequence))
    throw new AipError('action.invalid_input', 'the sequence of a chunk is larger than this server can keep');
  const delegated = await deps.delegations.chunk(identity, chunk);
  if (delegated) return delegated;
  const access = authorizeQuery(identity, { object: 'action', operation: 'write' }, deps.clock());
  const record = await reachedAction(deps.pool, access, chunk.action_id);
  if (!record) throw new NotAuthorized('the action is not known');
  try {
    const event = await deps.chunks({ chunk, tenantId: record.tenant_id });
    return event ? [event] : [];
  } catch (error) {
    if (error instanceof IngressNotAuthorized) throw new NotAuthorized(error.message);
    throw error;
  }
}

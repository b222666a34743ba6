import { isPlainId } from '../ids.js';
import { MAX_EVENT_KIND_BYTES } from '../limits.js';
import type { Event } from '../types.js';

/** Ids that the central server derives for its own events of streams and approvals; a publisher may not take them. */
const RESERVED_ID = /^evt_(?:stream|appr)_/;
/**
 * Kinds in which the central server itself speaks to followers of actions, approvals and money, and the names of its stream frames; a
 * publisher may not speak for it.
 */
const RESERVED_KIND =
  /^aip\.(action|approval|audit|callback|delegation|economic|error|escalation|session|stream|transaction)(\.|$)/;

/** Why a host may not publish an event, whoever it is and whenever it does; undefined when it may. The event passed its schema. */
export function publishedEventProblem({ id, session_id, action_id, kind, data = {} }: Event): string | undefined {
  for (const each of [id, session_id, action_id]) {
    if (each !== undefined && !isPlainId(each)) return 'has an id that is not 1 to 256 bytes of plain text';
  }
  if (RESERVED_ID.test(id)) return 'has an id that is reserved for the central server';
  if (kind.trim() === '' || Buffer.byteLength(kind) > MAX_EVENT_KIND_BYTES) {
    return `needs a kind of 1 to ${MAX_EVENT_KIND_BYTES} bytes`;
  }
  if (RESERVED_KIND.test(kind)) return 'has a kind that is reserved for the central server';
  if (!isObject(data)) return 'has data that is not an object';
  const { identity = {} } = data;
  if (!isObject(identity)) return 'has a data.identity that is not an object';
  if (identity.tenant !== undefined && !isObject(identity.tenant))
    return 'has a data.identity.tenant that is not an object';
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { isDeepStrictEqual } from 'node:util';
import { AipError } from '../../protocol/errors.js';
import { normalForm } from '../../protocol/normal-form.js';
import type { Event } from '../../protocol/types.js';
import { check } from '../../protocol/validate.js';

/** An event that can never be published as it is. */
export class EventUnpublishable extends AipError {
  constructor(message: string) {
    super({ code: 'connector.event_invalid', category: 'permanent', message }, message);
  }
}

/**
 * The event as it is staged: `data` is an object, made when absent, and the provider's actor stands in `data.upstream_actor`, because the
 * central server writes the host there. Doing it again changes nothing (spec 04 §3.11). Throws EventUnpublishable.
 */
export function normalizeEvent(event: Event): Event {
  const [issue] = check('Event', event);
  if (issue) throw new EventUnpublishable(`the event is invalid: ${issue.path || 'it'} ${issue.message}`);
  const { actor, data = {}, ...rest } = normalForm('Event', event);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new EventUnpublishable('the data of an event must be an object');
  }
  if (actor === undefined) return { ...rest, data };
  const upstream = (data as { upstream_actor?: unknown }).upstream_actor;
  if (upstream !== undefined && !isDeepStrictEqual(upstream, actor)) {
    throw new EventUnpublishable('the event names two different actors');
  }
  return { ...rest, data: { ...data, upstream_actor: actor } };
}

import { isDeepStrictEqual } from 'node:util';
import { publishedEventProblem } from '../../protocol/content/published-event.js';
import { normalForm } from '../../protocol/decode/normal-form.js';
import { AipError } from '../../protocol/errors.js';
import type { Event } from '../../protocol/types.js';
import { check } from '../../protocol/validate.js';

/** An event that can never be published as it is. */
export class EventUnpublishable extends AipError {
  constructor(message: string) {
    super('connector.event_invalid', message);
  }
}

/** An event, or a batch of events, above the bounds of the central server. */
export class EventTooLarge extends EventUnpublishable {}

/**
 * The event as it is staged: `data` is an object, made when absent, and the provider's actor is in `data.upstream_actor`, because the
 * central server writes the host there. Doing it again changes nothing (docs/protocol/host.md#outbox). Throws EventUnpublishable.
 */
export function normalizeEvent(event: Event): Event {
  const [issue] = check('Event', event);
  if (issue) throw new EventUnpublishable(`the event is invalid: ${issue.path || 'it'} ${issue.message}`);
  const normal = inNormalForm(event);
  const problem = publishedEventProblem(normal);
  if (problem !== undefined) throw new EventUnpublishable(`the event ${event.id.slice(0, 128)} ${problem}`);
  const { actor, data: given, ...rest } = normal;
  const data = (given ?? {}) as { upstream_actor?: unknown };
  if (actor === undefined) return { ...rest, data };
  const { upstream_actor: upstream } = data;
  if (upstream !== undefined && !isDeepStrictEqual(upstream, actor)) {
    throw new EventUnpublishable('the event names two different actors');
  }
  return { ...rest, data: { ...data, upstream_actor: actor } };
}

function inNormalForm(event: Event): Event {
  try {
    return normalForm('Event', event);
  } catch (cause) {
    if (!(cause instanceof AipError)) throw cause;
    throw new EventUnpublishable(`the event is invalid: ${cause.message}`);
  }
}

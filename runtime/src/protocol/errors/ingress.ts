import { failure } from './aip-error.js';

/** The central ingress is switched off. */
export class IngressNotConfigured extends failure({
  code: 'connector_event.not_configured',
  category: 'permanent',
  status: 404,
  message: 'the connector ingress is not configured on this server',
}) {}

/** Shape, size, age or skew of a published event or chunk is not acceptable. */
export class IngressInvalid extends failure({
  code: 'connector_event.invalid',
  category: 'permanent',
  message: 'the published events or chunk are not acceptable',
}) {}

/** The event id, or chunk sequence, is taken by other content. */
export class IngressConflict extends failure({
  code: 'connector_event.idempotency_conflict',
  category: 'permanent',
  message: 'this event or chunk was published before with other content',
}) {}

/** Trust, route, registry state, lease or channel does not admit the publisher. */
export class IngressNotAuthorized extends failure({
  code: 'connector_event.not_authorized',
  category: 'auth',
  message: 'the publisher is not authorized for this route',
}) {}

/** Every ingress slot is taken. */
export class IngressCapacity extends failure({
  code: 'connector_event.capacity',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  message: 'the connector ingress is at capacity; try again',
}) {}

/** Registry or storage of the ingress cannot be used now. */
export class IngressUnavailable extends failure({
  code: 'connector_event.unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'the connector ingress is unavailable; try again later',
}) {}

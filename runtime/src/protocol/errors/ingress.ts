import { failure } from './aip-error.js';

/** The central ingress is switched off. */
export class IngressNotConfigured extends failure('connector_event.not_configured') {}

/** Shape, size, age or skew of a published event or chunk is not acceptable. */
export class IngressInvalid extends failure('connector_event.invalid') {}

/** The event id, or chunk sequence, is taken by other content. */
export class IngressConflict extends failure('connector_event.idempotency_conflict') {}

/** Trust, route, registry state, lease or channel does not admit the publisher. */
export class IngressNotAuthorized extends failure('connector_event.not_authorized') {}

/** Every ingress slot is taken. */
export class IngressCapacity extends failure('connector_event.capacity') {}

/** Registry or storage of the ingress cannot be used now. */
export class IngressUnavailable extends failure('connector_event.unavailable') {}

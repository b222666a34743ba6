import type { Pool } from '../../../postgres/pool.js';
import type { Envelope } from '../../../protocol/envelope.js';
import { AipError, IngressNotAuthorized } from '../../../protocol/errors.js';
import type { Event, EventStream } from '../../../protocol/types.js';
import { isConnectorEventRoute } from '../../../protocol/wire/routes.js';
import type { IngressSender } from '../../../registry/ingress/sender.js';
import { checkSentAt, confirmRoute, type SignedSender } from '../checks.js';
import type { IngressLimits } from '../limits.js';
import { enrichEvent } from './enrich.js';
import { storeEvents } from './store.js';

/** What accepting provider events needs. */
export interface EventIngress {
  pool: Pool;
  limits: IngressLimits;
  sender(replicaId: string): Promise<IngressSender | undefined>;
}

/**
 * Accepts an EventStream of a connector host: route, age, registry state, lease, channel, every event, then stores all of them or none
 * (docs/protocol/ingress.md#provider-events). Returns the stored events. Throws the connector_event.* errors.
 */
export async function acceptEvents(
  ingress: EventIngress,
  envelope: Envelope,
  stream: EventStream,
  signed: SignedSender,
  now: number,
): Promise<Event[]> {
  const { limits } = ingress;
  const { connector_event: route } = envelope.security as { connector_event?: unknown };
  if (!isConnectorEventRoute(route)) {
    throw new IngressNotAuthorized('security.connector_event is missing or malformed');
  }
  checkSentAt(envelope, now, limits.maxAgeMs, limits.maxFutureSkewMs);
  const { replica, version } = confirmRoute(route, await ingress.sender(route.replica_id), signed, now);
  if (route.lease_sequence !== replica.healthRevision) {
    throw new IngressNotAuthorized('lease_sequence is not the current lease of the replica; sign with the current one');
  }
  if (!version.channelIds.includes(route.channel_id)) {
    throw new IngressNotAuthorized('the manifest of the version declares no such channel');
  }
  if (stream.next_cursor !== undefined)
    throw new AipError('connector_event.invalid', 'a published stream has no next_cursor');
  if (stream.events.length < 1 || stream.events.length > limits.maxEventsPerEnvelope) {
    throw new AipError('connector_event.invalid', `an envelope must carry 1 to ${limits.maxEventsPerEnvelope} events`);
  }
  const events = stream.events.map((event) => enrichEvent(event, route, signed.from, limits, now));
  return storeEvents(ingress.pool, { events, tenantId: route.tenant_id, maxRecordBytes: limits.maxEnvelopeBytes });
}

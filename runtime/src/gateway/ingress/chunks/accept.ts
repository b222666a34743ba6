import type { Envelope } from '../../../protocol/envelope.js';
import { AipError, IngressNotAuthorized } from '../../../protocol/errors.js';
import type { Event, StreamChunk } from '../../../protocol/types.js';
import { isConnectorCallbackRoute } from '../../../protocol/wire/routes.js';
import type { IngressSender } from '../../../registry/ingress/sender.js';
import type { RouteAssignment, RoutedAction } from '../../../registry/routes/assignment.js';
import { checkSentAt, confirmRoute, type SignedSender } from '../checks.js';
import type { IngressLimits } from '../limits.js';
import { confirmAssigned, sameReplica } from './assigned.js';
import type { ChunkSink } from './sink.js';

/** What accepting stream chunks needs. */
export interface ChunkIngress {
  limits: IngressLimits;
  sender(replicaId: string): Promise<IngressSender | undefined>;
  assignment(action: RoutedAction): Promise<RouteAssignment | undefined>;
  sink: ChunkSink;
}

/**
 * Accepts one StreamChunk of a connector host: route, age, size, the durable assignment, the current replica, then the stream itself
 * (docs/protocol/ingress.md#chunks). Returns the stored event, or none for a replay. Throws the connector_event.* errors.
 */
export async function acceptChunk(
  ingress: ChunkIngress,
  envelope: Envelope,
  chunk: StreamChunk,
  signed: SignedSender,
  now: number,
): Promise<Event[]> {
  const { limits } = ingress;
  const { connector_callback: route } = envelope.security as { connector_callback?: unknown };
  if (!isConnectorCallbackRoute(route)) {
    throw new IngressNotAuthorized('security.connector_callback is missing or malformed');
  }
  if (chunk.action_id !== route.action_id)
    throw new IngressNotAuthorized('the chunk belongs to another action than the route');
  checkSentAt(envelope, now, limits.callbackMaxAgeMs, limits.maxFutureSkewMs);
  if (Buffer.byteLength(JSON.stringify(chunk)) > limits.maxChunkBytes) {
    throw new AipError('connector_event.invalid', `the chunk is larger than ${limits.maxChunkBytes} bytes`);
  }
  if (!Number.isSafeInteger(chunk.sequence))
    throw new AipError('connector_event.invalid', 'the sequence is larger than this server can keep');

  const [assignment, record] = await Promise.all([
    ingress.assignment({ actionId: route.action_id, tenantId: route.tenant_id }),
    ingress.sender(route.replica_id),
  ]);
  const assigned = confirmAssigned(route, assignment);
  const { replica, version } = confirmRoute(route, record, signed, now);
  sameReplica(assigned, replica);
  if (!version.capabilityIds.includes(route.capability_id)) {
    throw new IngressNotAuthorized('the manifest of the version has no such capability');
  }
  const event = await ingress.sink({ chunk, tenantId: assigned.tenantId });
  return event ? [event] : [];
}

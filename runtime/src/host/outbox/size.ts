import { INGRESS_ENVELOPE_BYTES, MAX_EVENT_BYTES } from '../../protocol/limits.js';
import type { Event, Principal } from '../../protocol/types.js';
import { EventTooLarge } from './normalize.js';

/** Room in an envelope for everything beside its events: names, signature, the route. In bytes. */
const ENVELOPE_ROOM = 16_384;

/** Who publishes, as the central server writes it into each event. */
export interface Publisher {
  principal: Principal;
  tenantId: string;
  instanceId: string;
  replicaId: string;
  versionId: string;
}

/**
 * Refuses a batch that the central server would refuse for its size by its default bounds: an event of more than 262144 bytes, or an
 * envelope of more than 4194304, both with the marks that it adds to every event. Throws EventTooLarge.
 */
export function checkSize(events: readonly Event[], channelId: string, publisher: Publisher): void {
  let total = ENVELOPE_ROOM;
  for (const event of events) {
    const bytes = Buffer.byteLength(JSON.stringify(marked(event, channelId, publisher)));
    if (bytes > MAX_EVENT_BYTES) {
      const [id, marks] = [event.id.slice(0, 128), bytes - Buffer.byteLength(JSON.stringify(event))];
      throw new EventTooLarge(
        `the event ${id} is too large: at most ${MAX_EVENT_BYTES} bytes, ${marks} of them for marks of its origin`,
      );
    }
    total += bytes;
  }
  if (total > INGRESS_ENVELOPE_BYTES) {
    throw new EventTooLarge(
      `the batch is larger than ${INGRESS_ENVELOPE_BYTES} bytes; publish fewer events in a batch`,
    );
  }
}

/** The event as it is stored centrally, with the longest lease sequence there can be. */
function marked(event: Event, channelId: string, publisher: Publisher): Event {
  const data = event.data as Record<string, unknown>;
  const identity = (data.identity ?? {}) as { tenant?: object };
  return {
    ...event,
    actor: publisher.principal,
    data: {
      ...data,
      identity: { ...identity, tenant: { ...identity.tenant, id: publisher.tenantId } },
      aip_connector: {
        instance_id: publisher.instanceId,
        replica_id: publisher.replicaId,
        version_id: publisher.versionId,
        channel_id: channelId,
        lease_sequence: Number.MAX_SAFE_INTEGER,
      },
    },
  };
}

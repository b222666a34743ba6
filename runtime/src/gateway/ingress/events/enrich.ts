import { canonicalJson } from '../../../protocol/canonical.js';
import { IngressInvalid, IngressNotAuthorized } from '../../../protocol/errors.js';
import { isPlainId } from '../../../protocol/ids.js';
import { MAX_EVENT_KIND_BYTES } from '../../../protocol/limits.js';
import { parseTime } from '../../../protocol/time.js';
import type { ConnectorEventRoute, Event, Principal } from '../../../protocol/types.js';
import { redact } from '../../events/redact.js';
import type { IngressLimits } from '../limits.js';

/** Ids that this server derives for its own stream events; a publisher may not take them. */
const RESERVED_ID = /^evt_stream_/;
/**
 * Kinds in which this server itself speaks to followers of actions, approvals and money, and the names of its stream frames; a
 * publisher may not speak for it.
 */
const RESERVED_KIND =
  /^aip\.(action|approval|audit|callback|delegation|economic|error|escalation|session|stream|transaction)(\.|$)/;

/**
 * Checks one published event and returns the form that is stored: the signed sender as its actor, the verified tenant and the connector's
 * provenance in its data (contract 1 "Provider-event rules", spec 04 §5.2 no. 17). Throws IngressInvalid or IngressNotAuthorized.
 */
export function enrichEvent(
  event: Event,
  route: ConnectorEventRoute,
  from: Principal,
  limits: Pick<IngressLimits, 'maxEventBytes' | 'maxFutureSkewMs'>,
  now: number,
): Event {
  const invalid = (what: string): IngressInvalid => new IngressInvalid(`the event ${printable(event.id)} ${what}`);
  const denied = (what: string): IngressNotAuthorized =>
    new IngressNotAuthorized(`the event ${printable(event.id)} ${what}`);

  for (const id of [event.id, event.session_id, event.action_id]) {
    if (id !== undefined && !isPlainId(id)) throw invalid('has an id that is not 1 to 256 bytes of plain text');
  }
  if (RESERVED_ID.test(event.id)) throw invalid('has an id that is reserved for stream chunks');
  if (event.kind.trim() === '' || Buffer.byteLength(event.kind) > MAX_EVENT_KIND_BYTES) {
    throw invalid(`needs a kind of 1 to ${MAX_EVENT_KIND_BYTES} bytes`);
  }
  if (RESERVED_KIND.test(event.kind)) throw invalid('has a kind that is reserved for this server');
  if (parseTime(event.occurred_at) > now + limits.maxFutureSkewMs) throw invalid('is dated too far ahead');
  if (event.actor !== undefined && canonicalJson(event.actor) !== canonicalJson(from)) {
    throw denied('names another actor than the signed host');
  }
  const data = objectOr(event.data, () => invalid('has data that is no object'));
  const identity = objectOr(data.identity, () => invalid('has a data.identity that is no object'));
  const tenant = objectOr(identity.tenant, () => invalid('has a data.identity.tenant that is no object'));
  if (tenant.id !== undefined && tenant.id !== route.tenant_id) throw denied('names another tenant');
  const provenance = {
    instance_id: route.instance_id,
    replica_id: route.replica_id,
    version_id: route.version_id,
    channel_id: route.channel_id,
    lease_sequence: route.lease_sequence,
  };
  if (data.aip_connector !== undefined && canonicalJson(data.aip_connector) !== canonicalJson(provenance)) {
    throw denied('names another connector');
  }
  const enriched: Event = {
    ...event,
    actor: from,
    data: {
      ...data,
      identity: { ...identity, tenant: { ...tenant, id: route.tenant_id } },
      aip_connector: provenance,
    },
  };
  if (Buffer.byteLength(JSON.stringify(enriched)) > limits.maxEventBytes) {
    throw invalid(`is larger than ${limits.maxEventBytes} bytes`);
  }
  return { ...enriched, data: redact(enriched.data) };
}

function objectOr(value: unknown, refusal: () => Error): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal();
  return value as Record<string, unknown>;
}

function printable(id: string): string {
  return JSON.stringify(id.slice(0, 128));
}

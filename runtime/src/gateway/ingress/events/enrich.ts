import { canonicalJson } from '../../../protocol/canonical.js';
import { publishedEventProblem } from '../../../protocol/content/published-event.js';
import { AipError, IngressNotAuthorized } from '../../../protocol/errors.js';
import { parseTime } from '../../../protocol/time.js';
import type { ConnectorEventRoute, Event, Principal } from '../../../protocol/types.js';
import { redact } from '../../events/redact.js';
import type { IngressLimits } from '../limits.js';

/** The members of an event's data that the ingress checks, once their shape was checked. */
interface EventData {
  identity?: { tenant?: { id?: unknown } };
  aip_connector?: unknown;
}

/**
 * Checks one published event and returns the form that is stored: the signed sender as its actor, the verified tenant and the connector's
 * provenance in its data (docs/protocol/ingress.md#provider-events, docs/protocol/ingress.md#provider-events). Throws `connector_event.invalid` or
 * IngressNotAuthorized.
 */
export function enrichEvent(
  event: Event,
  route: ConnectorEventRoute,
  from: Principal,
  limits: Pick<IngressLimits, 'maxEventBytes' | 'maxFutureSkewMs'>,
  now: number,
): Event {
  const name = `the event ${JSON.stringify(event.id.slice(0, 128))}`;
  const invalid = (what: string): AipError => new AipError('connector_event.invalid', `${name} ${what}`);
  const denied = (what: string): IngressNotAuthorized => new IngressNotAuthorized(`${name} ${what}`);

  const problem = publishedEventProblem(event);
  if (problem !== undefined) throw invalid(problem);
  if (parseTime(event.occurred_at) > now + limits.maxFutureSkewMs) throw invalid('is dated too far ahead');
  if (event.actor !== undefined && canonicalJson(event.actor) !== canonicalJson(from)) {
    throw denied('names another actor than the signed host');
  }
  const { identity, aip_connector: claimed, ...data } = (event.data ?? {}) as EventData;
  if (identity?.tenant?.id !== undefined && identity.tenant.id !== route.tenant_id)
    throw denied('names another tenant');
  const provenance = {
    instance_id: route.instance_id,
    replica_id: route.replica_id,
    version_id: route.version_id,
    channel_id: route.channel_id,
    lease_sequence: route.lease_sequence,
  };
  if (claimed !== undefined && canonicalJson(claimed) !== canonicalJson(provenance)) {
    throw denied('names another connector');
  }
  const enriched: Event = {
    ...event,
    actor: from,
    data: {
      ...data,
      identity: { ...identity, tenant: { ...identity?.tenant, id: route.tenant_id } },
      aip_connector: provenance,
    },
  };
  if (Buffer.byteLength(JSON.stringify(enriched)) > limits.maxEventBytes) {
    throw invalid(`is larger than ${limits.maxEventBytes} bytes`);
  }
  return { ...enriched, data: redact(enriched.data) };
}

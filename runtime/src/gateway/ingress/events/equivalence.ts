import { canonicalJson } from '../../../protocol/canonical.js';
import type { Event } from '../../../protocol/types.js';

/** Members of data.aip_connector that say which process published, not what happened. */
const FLEET_COORDINATES = ['replica_id', 'version_id', 'lease_sequence'];

/**
 * Whether two enriched events say the same: equal but for the actor and the publishing process. An event stored before its original
 * actor was kept in data.upstream_actor matches one whose upstream_actor is that actor (docs/protocol/ingress.md#provider-events).
 */
export function sameContent(a: Event, b: Event): boolean {
  return canonicalJson(essence(a, b)) === canonicalJson(essence(b, a));
}

function essence(event: Event, other: Event): Record<string, unknown> {
  const { actor, data, ...rest } = event;
  const members = { ...(isObject(data) ? data : {}) };
  if (isObject(members.aip_connector)) {
    members.aip_connector = Object.fromEntries(
      Object.entries(members.aip_connector).filter(([name]) => !FLEET_COORDINATES.includes(name)),
    );
  }
  const othersUpstream = isObject(other.data) ? other.data.upstream_actor : undefined;
  if (members.upstream_actor === undefined && actor && othersUpstream !== undefined) {
    if (canonicalJson(actor) === canonicalJson(othersUpstream)) members.upstream_actor = othersUpstream;
  }
  return { ...rest, data: members };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { Pool } from '../../postgres/pool.js';
import { AipError, ReplicaUnavailable } from '../../protocol/errors.js';
import { InstanceWaking } from '../scaling.js';
import type { RouteRequest } from './assignment.js';
import type { BindingsCache, RouteOption } from './bindings-cache.js';

const NO_PLACE = 'no connector replica that is ready has a place for the action; try again';

// Which of these actions have a route already, and the current catalog revision.
const READ_STANDING = `
SELECT (SELECT revision FROM registry.catalog) AS revision, ARRAY(
  SELECT action_id FROM registry.assignments
  WHERE action_id = ANY($1) AND (action_id, tenant_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
) AS known`;

/** What finds out why requests cannot be placed. */
export interface RefusalDeps {
  readonly pool: Pool;
  readonly bindings: BindingsCache;
  /** Requests hosts of idle instances, best first; how long an action may wait for them in ms, undefined where none is idle. */
  readonly wake: (instanceIds: readonly string[]) => Promise<number | undefined>;
}

/** What the caches said of a request that was not placed: its first option, the instances it may go to, best first, and whether a replica was found. */
export interface Unplaced {
  readonly revision: number;
  readonly option: RouteOption | undefined;
  readonly instanceIds: readonly string[];
  readonly found: boolean;
  /** Whether any replica is ready. */
  readonly ready: boolean;
}

/** Why a request cannot be placed: `known` because it has a route and needs none, `again` because the catalog is another one now. */
export type Refused = AipError | 'known' | 'again';

/** Finds out why these requests of different actions cannot be placed. Throws StorageUnavailable. */
export async function refusalsOf(
  deps: RefusalDeps,
  requests: ReadonlyMap<RouteRequest, Unplaced>,
): Promise<Map<RouteRequest, Refused>> {
  const ids = [...requests.keys()];
  const { rows } = await deps.pool.query<{ known: string[]; revision: number }>({
    name: 'registry.route.standing',
    text: READ_STANDING,
    values: [ids.map(({ actionId }) => actionId), ids.map(({ tenantId }) => tenantId)],
  });
  const known = new Set(rows[0]?.known);
  const waking = new Map<string, Promise<number | undefined>>();
  /** Requested once for all actions that may go to the same instances. */
  const wake = (instanceIds: readonly string[]): Promise<number | undefined> => {
    const key = instanceIds.join();
    const asked = waking.get(key) ?? deps.wake(instanceIds);
    waking.set(key, asked);
    return asked;
  };
  const refusals = new Map<RouteRequest, Refused>();
  for (const [request, chosen] of requests) {
    if (known.has(request.actionId)) refusals.set(request, 'known');
    else if (rows[0]?.revision !== chosen.revision) refusals.set(request, 'again');
    else refusals.set(request, await refusalOf(request, chosen, wake));
  }
  if ([...refusals.values()].includes('again')) deps.bindings.clear();
  return refusals;
}

/** Why a request whose catalog is the current one cannot be placed. */
async function refusalOf(
  { capabilityId }: RouteRequest,
  { option, instanceIds, found, ready }: Unplaced,
  wake: RefusalDeps['wake'],
): Promise<AipError> {
  if (!option)
    return new AipError('connector.binding_unavailable', undefined, { details: { capability_id: capabilityId } });
  if (found) return new AipError('connector.binding_unavailable', 'the quota policy of the binding is disabled');
  const wakeTimeoutMs = await wake(instanceIds);
  if (wakeTimeoutMs !== undefined) return new InstanceWaking(wakeTimeoutMs);
  return new ReplicaUnavailable(ready ? NO_PLACE : undefined);
}

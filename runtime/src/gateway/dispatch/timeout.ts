import type { Registry } from '../../registry/registry.js';
import type { RemoteWork } from './project.js';

/** Time of an action when neither it nor its contract names one, in milliseconds (spec 06 §3.4). */
export const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * The time of remote work in milliseconds: what the caller worked out, else the smaller of the action's timeout_ms and
 * its contract's sla.timeout_ms, else 60000. It bounds all exchanges for the action together; a single exchange has its
 * own, shorter bound.
 */
export async function timeoutOf(registry: Pick<Registry, 'catalog'>, work: RemoteWork): Promise<number> {
  if (work.timeoutMs !== undefined) return work.timeoutMs;
  const known = await registry.catalog.capability(work.tenantId, work.action.capability_id);
  const named = [work.action.timeout_ms, known?.capability.contract?.sla?.timeout_ms].filter((ms) => ms !== undefined);
  return named.length === 0 ? DEFAULT_TIMEOUT_MS : Math.min(...named.map(Number));
}

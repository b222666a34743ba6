import type { InstanceOutcome } from '../state/instance-outcome.js';

/** Reasons of an instance that is not ready and will not become so on its own. */
const AT_REST: ReadonlySet<string> = new Set(['HostsOffline', 'Disabled', 'HostTrouble']);

/** Nothing more to do, and every instance ready or known not to become so. */
export function isSettled(outcomes: ReadonlyMap<string, InstanceOutcome>): boolean {
  return [...outcomes.values()].every(({ conditions }) => {
    const found = (type: string) => conditions.find((condition) => condition.type === type);
    if (found('Stalled')) return true;
    const reconciling = found('Reconciling');
    if (reconciling && reconciling.reason !== 'WaitsForHost' && reconciling.reason !== 'HostTrouble') return false;
    const ready = found('Ready');
    return ready?.status !== 'False' || AT_REST.has(ready.reason);
  });
}

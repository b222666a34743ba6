import { hash } from 'node:crypto';
import type { TopologyPreference } from './assignment.js';
import type { RouteOption } from './bindings-cache.js';
import type { ReplicaCandidate } from './replica-view.js';

/** A replica for one action, with the option that leads to it. */
export interface Choice {
  readonly option: RouteOption;
  readonly replica: ReplicaCandidate;
}

/**
 * The best replica for a new action, or undefined: priority of the binding, then the version that the action falls to where another is tried, then region, zone, fewest active, then a hash that spreads
 * equal ones (docs/protocol/registry.md#choosing-a-replica). The capacity class, and the region where crossing is not allowed, exclude.
 */
export function chooseReplica(
  actionId: string,
  options: readonly RouteOption[],
  candidates: readonly ReplicaCandidate[],
  preference: TopologyPreference | undefined,
): Choice | undefined {
  const byInstance = new Map<string, RouteOption>();
  const canaries = new Map<string, RouteOption>();
  for (const option of options) (option.isCanary ? canaries : byInstance).set(option.instanceId, option);
  let best: { choice: Choice; rank: number[]; place?: string } | undefined;
  for (const replica of candidates) {
    let option = byInstance.get(replica.instanceId);
    if (option?.versionId !== replica.versionId) option = canaries.get(replica.instanceId);
    if (!option || option.versionId !== replica.versionId || replica.active >= replica.capacity) continue;
    if (!admits(replica, preference)) continue;
    const rank = [
      option.priority,
      Number(!fallsTo(option, actionId)),
      Number(preference?.region !== undefined && replica.topology.region !== preference.region),
      Number(preference?.zone !== undefined && replica.topology.zone !== preference.zone),
      replica.active,
    ];
    const choice = { option, replica };
    const order = best ? compare(rank, best.rank) : -1;
    if (order < 0) best = { choice, rank };
    else if (order === 0 && best) {
      best.place ??= spread(best.choice.replica.id, actionId);
      const place = spread(replica.id, actionId);
      if (place < best.place) best = { choice, rank, place };
    }
  }
  return best?.choice;
}

/** Whether an action is one of the share of this version. Where no replica of its version can take it, the other version does. */
function fallsTo({ canaryPercent, isCanary }: RouteOption, actionId: string): boolean {
  if (canaryPercent === null) return true;
  const place = hash('md5', actionId, 'buffer').readUInt32BE(0) % 100;
  return place < canaryPercent === isCanary;
}

function admits({ topology }: ReplicaCandidate, preference: TopologyPreference | undefined): boolean {
  if (!preference) return true;
  const { capacityClass, region, allowCrossRegion = true } = preference;
  if (capacityClass !== undefined && topology.capacityClass !== capacityClass) return false;
  return allowCrossRegion || region === undefined || topology.region === region;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i += 1) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

function spread(replicaId: string, actionId: string): string {
  return hash('md5', replicaId + actionId, 'hex');
}

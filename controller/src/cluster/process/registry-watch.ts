import type { Logger } from '@aip/runtime/internal/program';
import { pollLoop } from '@aip/runtime/internal/time';
import { connectorInstanceKey } from '../../api/names.js';
import type { FleetRegistry, RegistryLease } from '../../fleet/fleet-registry.js';
import { recordState } from '../../fleet/record-state.js';
import type { InstanceLoad } from '../../kube/metrics.js';
import { FAILURE_PAUSE_MS } from '../instance/replica-reach.js';

/** How often the registry is asked, in ms: so late a change of a lease is seen. */
const POLL_MS = 1000;

/**
 * Reports every instance one of whose replicas changed its state in the registry or fails, and every one that an action woke, which reaches no
 * API server. Two queries a second for the whole fleet; in-flight counts and heartbeats are no changes. Ends when the signal aborts.
 */
export async function watchRegistry({
  registry,
  changed,
  loads,
  failed,
  clock,
  log,
  signal,
}: {
  registry: Pick<FleetRegistry, 'leases' | 'scalingStates'>;
  changed(instanceId: string): void;
  /** Called with the load of every instance at each poll. */
  loads(loads: Iterable<InstanceLoad>): void;
  /** Called with each poll that failed. */
  failed(): void;
  clock: () => number;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  let before: ReadonlyMap<string, ReplicaState> | undefined;
  let scaled: ReadonlyMap<string, string> | undefined;
  let failing = false;
  const poll = async (): Promise<void> => {
    const now = clock();
    const leases = await registry.leases();
    const states = new Map(leases.map((lease) => [lease.replicaId, stateOf(lease, now, before?.get(lease.replicaId))]));
    for (const { replicaId, instanceId } of leases) {
      const is = states.get(replicaId);
      const was = before?.get(replicaId);
      if (before && (was?.state !== is?.state || was?.failedAt !== is?.failedAt)) changed(instanceId);
    }
    before = states;
    const scaling = await registry.scalingStates();
    for (const [instanceId, state] of scaling) if (scaled && scaled.get(instanceId) !== state) changed(instanceId);
    scaled = scaling;
    loads(loadsOf(leases, now));
    if (failing) log.info({}, 'the registry can be read again');
    failing = false;
  };
  await pollLoop(poll, {
    signal,
    everyMs: () => POLL_MS,
    failed: (error) => {
      failed();
      if (!failing) log.warn({ err: error }, 'the registry cannot be read');
      failing = true;
    },
  });
  // Another process leads, and counts.
  loads([]);
}

/** What of a replica counts as a change. */
interface ReplicaState {
  state: string;
  /** When it was last reported to fail, in ms since the epoch. */
  failedAt: number | undefined;
}

/** A replica that fails is reported at once, and once a minute while it continues to fail. Pure. */
function stateOf(lease: RegistryLease, now: number, was: ReplicaState | undefined): ReplicaState {
  const state = `${recordState(lease, now)} ${lease.circuitOpenUntil > now}`;
  const isNews =
    lease.consecutiveFailures > 0 && (was?.failedAt === undefined || now - was.failedAt >= FAILURE_PAUSE_MS);
  return { state, failedAt: isNews ? now : was?.failedAt };
}

/** What the hosts of each instance run, and could. Pure. */
export function loadsOf(leases: readonly RegistryLease[], now: number): InstanceLoad[] {
  const found = new Map<string, InstanceLoad>();
  for (const lease of leases) {
    const [namespace, instance] = connectorInstanceKey(lease.instanceId)?.split('/') ?? [];
    if (namespace === undefined || instance === undefined) continue;
    const load = found.get(lease.instanceId) ?? { namespace, instance, actions: 0, capacity: 0 };
    const takes = recordState(lease, now) === 'ready' && lease.circuitOpenUntil <= now;
    load.actions += lease.active;
    load.capacity += takes ? lease.capacity : 0;
    found.set(lease.instanceId, load);
  }
  return [...found.values()];
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@aip/runtime/transport/process/logger.js';
import type { FleetRegistry } from '../../fleet/fleet-registry.js';
import { recordState } from '../../fleet/record-state.js';

/** How often the registry is asked, in ms: so late a change of a lease is seen. */
const POLL_MS = 1000;

/**
 * Tells of every instance one of whose replicas changed its state in the registry, which hosts do without the API server. One query a second for
 * the whole fleet; in-flight counts and heartbeats are no changes. Ends when the signal aborts.
 */
export async function watchRegistry({
  registry,
  changed,
  failed,
  clock,
  log,
  signal,
}: {
  registry: Pick<FleetRegistry, 'leases'>;
  changed(instanceId: string): void;
  /** Told of each look that failed. */
  failed(): void;
  clock: () => number;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  let before: ReadonlyMap<string, string> | undefined;
  let failing = false;
  while (!signal.aborted) {
    try {
      const now = clock();
      const leases = await registry.leases();
      const states = new Map(
        leases.map((lease) => [lease.replicaId, `${recordState(lease, now)} ${lease.circuitOpenUntil > now}`]),
      );
      for (const { replicaId, instanceId } of leases)
        if (before && before.get(replicaId) !== states.get(replicaId)) changed(instanceId);
      before = states;
      if (failing) log.info({}, 'the registry can be read again');
      failing = false;
    } catch (error) {
      failed();
      if (!failing) log.warn({ err: error }, 'the registry cannot be read');
      failing = true;
    }
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

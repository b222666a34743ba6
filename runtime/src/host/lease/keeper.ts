import type { Clock } from '../../protocol/clock.js';
import type { ConnectorHostRegistration, LifecycleCommand } from '../../protocol/types.js';
import { pollLoop } from '../../time/wait.js';
import type { Logger } from '../../transport/process/logger.js';
import type { HostMetrics } from '../metrics/metrics.js';
import { LeaseRefused } from './errors.js';
import type { Lease } from './lease.js';
import type { LeaseRecord } from './store.js';

/** While no lease is held the host looks this often whether it can get one, in milliseconds (or each heartbeat, when that is shorter). */
const RECOVERY_MS = 1000;

/** Keeps the lease of a running host. */
export interface LeaseKeeper {
  /** Renews, or recovers, until `signal` fires; never rejects. Begins 0.75 to 1.25 heartbeats from now. */
  keep(signal: AbortSignal): Promise<void>;
  /**
   * Informs the registry that no new action may come; from here on renewals repeat the drain. Returns how many actions are pinned here and not
   * ended, where the control plane says so. Throws LeaseRefused or LeaseUncertain.
   */
  drain(): Promise<number | undefined>;
  /** Gives the lease back. Does nothing when none was ever held. */
  offline(): Promise<void>;
}

/** What a keeper is made of. */
export interface KeeperOptions {
  lease: Lease;
  replicaId: string;
  heartbeatMs: number;
  registration: () => ConnectorHostRegistration;
  /** Probes storage and connector and says whether both are ready. */
  ready: () => Promise<boolean>;
  inFlight: () => number;
  metrics: HostMetrics;
  clock: Clock;
  log: Logger;
}

/** Opens the keeper; the first lease is `obtainLease`'s to get. */
export function openLeaseKeeper(options: KeeperOptions): LeaseKeeper {
  const { lease, replicaId, heartbeatMs, metrics, log } = options;
  let draining = false;

  const fenced =
    (operation: 'drain' | 'offline') =>
    (record: LeaseRecord): LifecycleCommand => ({
      operation,
      payload: { replica_id: replicaId, previous_sequence: record.sequence },
    });

  const settle = async (): Promise<void> => {
    await lease.settle().catch((error) => {
      if (!(error instanceof LeaseRefused)) throw error;
    });
  };
  const renew = async (): Promise<void> => {
    if (draining) {
      if (lease.valid()) await lease.run(fenced('drain'));
      return;
    }
    const ready = await options.ready();
    if (!lease.valid()) {
      if (ready) await recover();
      return;
    }
    await settle();
    // A drain that began meanwhile went first: the registry takes no heartbeat after it.
    await lease.run((record) =>
      draining ? fenced('drain')(record) : heartbeatOf(record, replicaId, options.inFlight(), ready),
    );
  };
  const recover = async (): Promise<void> => {
    metrics.leaseRecoveryAttempts += 1;
    await settle();
    if (draining) return;
    if (!lease.valid()) await lease.run(() => ({ operation: 'register', payload: options.registration() }));
    metrics.leaseRecoveries += 1;
    log.info({ sequence: lease.record.sequence }, 'lease recovered');
  };
  const tick = async (): Promise<void> => {
    const { sequence } = lease.record;
    try {
      await renew();
      if (sequence !== lease.record.sequence) log.debug({ sequence: lease.record.sequence }, 'lease renewed');
    } catch (error) {
      metrics.heartbeatFailures += 1;
      log.warn({ code: (error as { code?: string }).code, reason: (error as Error).message }, 'lease was not renewed');
    }
  };

  return {
    keep: (signal) => {
      let delay = heartbeatMs * (0.75 + Math.random() / 2);
      const kept = async (): Promise<void> => {
        await tick();
        delay = lease.valid() && lease.record.pending === undefined ? heartbeatMs : Math.min(heartbeatMs, RECOVERY_MS);
      };
      return pollLoop(kept, { signal, everyMs: () => delay, pauseFirst: true });
    },
    drain: async () => {
      draining = true;
      if (!lease.valid()) return undefined;
      const outcome = await lease.run(fenced('drain'));
      return outcome.status === 'lease' ? outcome.pinned : undefined;
    },
    offline: async () => {
      await settle().catch(() => undefined);
      if (lease.record.sequence > 0 && lease.record.status !== 'offline') await lease.run(fenced('offline'));
    },
  };
}

/** A heartbeat on the last applied lease (docs/protocol/control-plane.md#heartbeat). */
export function heartbeatOf(
  { sequence }: LeaseRecord,
  replicaId: string,
  inFlight: number,
  connectorReady: boolean,
): LifecycleCommand {
  return {
    operation: 'heartbeat',
    payload: {
      replica_id: replicaId,
      previous_sequence: sequence,
      in_flight: inFlight,
      connector_ready: connectorReady,
    },
  };
}

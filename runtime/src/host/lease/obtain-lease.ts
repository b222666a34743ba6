import { doubling, jittered } from '../../time/retry.js';
import { pollUntil } from '../../time/wait.js';
import { LeaseRefused, LeaseUncertain } from './errors.js';
import { heartbeatOf, type KeeperOptions } from './keeper.js';
import { registrationDigest } from './registration.js';

/** Waiting between attempts to get the first lease, in milliseconds. */
const delayMs = doubling(200, 2000);

/**
 * Gets the first lease of a process. A live lease of a former life of this replica is resumed: a command whose outcome is unknown is sent
 * again, then a heartbeat on the stored sequence renews it; a former life that had begun to drain, or had registered something else, is
 * ended first. Otherwise it registers.
 * Waits and tries again while the control plane is unavailable, the connector is not ready, or the registry still holds a lease of the
 * former life. Throws LeaseRefused when a replica that never held a lease is refused, or the former lease must be over by now.
 */
export async function obtainLease(options: KeeperOptions & { leaseTtlMs: number; signal: AbortSignal }): Promise<void> {
  const { lease, clock, log, signal } = options;
  const known = await lease.load();
  const giveUpAt = Math.max(clock(), lease.record.expiresAt) + 3 * options.leaseTtlMs;
  const obtained = async (): Promise<true | undefined> => {
    try {
      if (await options.ready()) {
        const how = await resumeOrRegister(options);
        log.info({ sequence: lease.record.sequence }, `lease ${how}`);
        return true;
      }
      log.warn('not registered: storage or connector is not ready');
    } catch (error) {
      const refused = error instanceof LeaseRefused;
      if (refused && (!known || clock() > giveUpAt)) throw error;
      if (!refused && !(error instanceof LeaseUncertain)) throw error;
      log.warn({ code: error.code, reason: error.message }, 'no lease yet');
    }
    return undefined;
  };
  let n = 0;
  const everyMs = (): number => {
    n += 1;
    return jittered(delayMs(n - 1), 0.2);
  };
  await pollUntil(obtained, { signal, everyMs });
}

async function resumeOrRegister(options: KeeperOptions): Promise<'resumed' | 'obtained'> {
  const { lease, replicaId, inFlight, registration } = options;
  await lease.settle().catch((error) => {
    if (!(error instanceof LeaseRefused)) throw error;
  });
  const same = lease.record.registration === registrationDigest(registration());
  if (lease.valid() && (lease.record.status === 'draining' || !same)) {
    await lease.run(({ sequence }) => ({
      operation: 'offline',
      payload: { replica_id: replicaId, previous_sequence: sequence },
    }));
  }
  if (lease.valid()) {
    try {
      await lease.run((record) => heartbeatOf(record, replicaId, inFlight(), true));
      return 'resumed';
    } catch (error) {
      if (!(error instanceof LeaseRefused)) throw error;
      lease.lose();
    }
  }
  await lease.run(() => ({ operation: 'register', payload: registration() }));
  return 'obtained';
}

import type { Logger } from 'pino';
import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { type ActionRef, actionKey } from '../../../protocol/content/action-ref.js';
import { every, openTimer } from '../../../time/timer.js';
import { abandonLeases, type Lease, renewLeases } from './claim.js';

/**
 * How long an execution may go without a renewal before any worker may take it over, in milliseconds (docs/protocol/actions.md#worker).
 */
export const LEASE_MS = 30_000;
/** How often held leases are renewed and asked about cancellations; well below a third of the lease. */
const RENEW_EVERY_MS = 5000;
/** How soon leases are given up that nobody works under any more, and how often that is tried. */
const ABANDON_AFTER_MS = 500;

/** Why an execution has to stop before its own end. */
export type StopReason = 'cancel' | 'lease_lost';

/**
 * Keeps the leases of the executions in this process alive, and stops the ones that are to be cancelled or that it has
 * lost.
 */
export interface LeaseKeeper {
  /** Keeps a lease until `release`; `stop` is called at most once. */
  hold(lease: Lease, stop: (reason: StopReason) => void): { release(): void };
  /** Asks the execution of an action in this process to stop for a cancellation; false when there is none here. */
  cancel(action: ActionRef): boolean;
  /**
   * Gives a lease up whose execution ended without its outcome being written, as soon as the storage answers: otherwise
   * the action would wait for the lease to lapse.
   */
  abandon(lease: Lease): void;
  /** Executions under way in this process. */
  size(): number;
  /** Ends the renewals; with `abandonHeld` every lease that is still held is given up. */
  close(abandonHeld: boolean): Promise<void>;
}

/**
 * Starts a keeper over `pool`. A failed renewal is tried again at the next turn; only the database's answer ends a
 * lease.
 */
export function leaseKeeper(options: { pool: Pool; clock: Clock; log: Logger }): LeaseKeeper {
  const held = new Map<string, { lease: Lease; stop: (reason: StopReason) => void }>();
  const abandoned = new Set<Lease>();
  let renewing = false;

  const stop = (key: string, reason: StopReason): void => {
    const entry = held.get(key);
    if (!entry) return;
    const tell = entry.stop;
    entry.stop = () => undefined;
    tell(reason);
  };

  let stopRenewals: (() => void) | undefined;
  const renew = async (): Promise<void> => {
    if (held.size === 0) {
      stopRenewals?.();
      stopRenewals = undefined;
    }
    if (renewing || held.size === 0) return;
    renewing = true;
    const asked = [...held.values()];
    try {
      const leases = asked.map((entry) => entry.lease);
      const answers = await renewLeases(options.pool, leases, options.clock() + LEASE_MS);
      for (const entry of asked) {
        const key = actionKey(entry.lease);
        if (held.get(key) !== entry) continue;
        const cancelRequested = answers.get(key);
        if (cancelRequested === undefined) stop(key, 'lease_lost');
        else if (cancelRequested) stop(key, 'cancel');
      }
    } catch (error) {
      options.log.warn({ err: error, leases: asked.length }, 'leases not renewed');
    } finally {
      renewing = false;
    }
  };
  const giveUp = async (): Promise<void> => {
    if (abandoned.size === 0) return;
    const leases = [...abandoned];
    abandoned.clear();
    try {
      await abandonLeases(options.pool, leases, options.clock());
    } catch {
      for (const lease of leases) abandon(lease);
    }
  };
  const abandon = (lease: Lease): void => {
    abandoned.add(lease);
    givingUp.start(ABANDON_AFTER_MS);
  };
  const givingUp = openTimer(giveUp, { ref: false });

  return {
    hold: (lease, onStop) => {
      const entry = { lease, stop: onStop };
      const key = actionKey(lease);
      held.set(key, entry);
      stopRenewals ??= every(RENEW_EVERY_MS, renew, { ref: false });
      return {
        release: () => {
          if (held.get(key) === entry) held.delete(key);
        },
      };
    },
    cancel: (action) => {
      const key = actionKey(action);
      const here = held.has(key);
      stop(key, 'cancel');
      return here;
    },
    abandon,
    size: () => held.size,
    close: async (abandonHeld) => {
      stopRenewals?.();
      if (abandonHeld) for (const { lease } of held.values()) abandoned.add(lease);
      await giveUp();
      givingUp.stop();
    },
  };
}

import { HostNotReady } from '../../protocol/errors.js';
import type { Facts } from './facts.js';
import { unlessTaken } from './taken.js';

/**
 * Takes new actions only while the host may have them; cancellations and repeats of what it executes or has the result of are pinned work.
 */
export function readiness(facts: Facts): HostNotReady | undefined | Promise<HostNotReady | undefined> {
  const { action, running, situation, host } = facts;
  if (!action || running) return undefined;
  const refusal = (why: string): HostNotReady => new HostNotReady(why, { retryAfterMs: host.heartbeatMs });
  if (!situation.storageReady) return refusal('the storage of the connector host is not ready');
  if (situation.draining) return unlessTaken(refusal('the connector host is draining'), facts);
  if (!situation.leaseValid) return unlessTaken(refusal('the connector host holds no lease'), facts);
  return situation.connectorReady ? undefined : unlessTaken(refusal('the connector is not ready'), facts);
}

import { HostNotReady } from '../../protocol/errors.js';
import type { Facts } from './facts.js';

/** Takes new actions only while the host may have them; cancellations and repeats of what it executes are pinned work. */
export function readiness({ action, running, situation, host }: Facts): HostNotReady | undefined {
  if (!action || running) return undefined;
  const refuse = (why: string): HostNotReady => new HostNotReady(why, { retryAfterMs: host.heartbeatMs });
  if (situation.draining) return refuse('the connector host is draining');
  if (!situation.leaseValid) return refuse('the connector host holds no lease');
  if (!situation.storageReady) return refuse('the storage of the connector host is not ready');
  return situation.connectorReady ? undefined : refuse('the connector is not ready');
}

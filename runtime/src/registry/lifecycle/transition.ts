import { toNumber } from '../../protocol/json.js';
import type { LifecycleCommand } from '../../protocol/types.js';
import type { Replica, ReplicaStatus } from '../replicas.js';

/** What a committed command makes of the replica. `capacity` changes with register only. Times in ms since the epoch. */
export interface Transition {
  readonly status: ReplicaStatus;
  readonly leaseExpiresAt: number;
  readonly healthRevision: number;
  readonly capacity: number;
  /** What the caller is answered. */
  readonly answer: 'lease' | 'offline';
}

/** A refusal, with the text that the operator reads. */
export interface Refusal {
  readonly refused: string;
}

type FencedCommand = Exclude<LifecycleCommand, { operation: 'register' }>;

/** Whether a lease of the replica is live. */
export function leaseIsLive(replica: Pick<Replica, 'status' | 'leaseExpiresAt'>, now: number): boolean {
  return replica.status !== 'offline' && replica.leaseExpiresAt > now;
}

/** Why the replica may not register now, whatever its host proposes; undefined: it may. */
export function registerRefusal(replica: Replica, now: number): Refusal | undefined {
  if (replica.retiring) return { refused: 'the replica is retired; it gets no lease again' };
  if (leaseIsLive(replica, now)) return { refused: 'the replica holds a live lease' };
  return undefined;
}

/** register: from offline, or again after the lease lapsed (docs/protocol/control-plane.md#transitions), where nothing refuses it. */
export function register(replica: Replica, capacity: number, now: number, ttlMs: number): Transition {
  return {
    status: 'ready',
    leaseExpiresAt: now + ttlMs,
    healthRevision: replica.healthRevision + 1,
    capacity,
    answer: 'lease',
  };
}

/**
 * heartbeat, drain and offline: fenced by previous_sequence. A lapsed lease is renewed by nothing but register; a draining replica renews
 * by repeating drain and never returns to ready (D-31); a heartbeat that is not ready ends the lease (D-32).
 */
export function fenced(command: FencedCommand, replica: Replica, now: number, ttlMs: number): Transition | Refusal {
  const { payload, operation } = command;
  if (payload.previous_sequence !== replica.healthRevision) return { refused: 'lease sequence is stale' };
  const next = { healthRevision: replica.healthRevision + 1, capacity: replica.capacity };
  if (operation === 'offline') return { ...next, status: 'offline', leaseExpiresAt: now, answer: 'offline' };
  if (!leaseIsLive(replica, now)) return { refused: 'the lease has lapsed; register again' };
  if (operation === 'drain') return { ...next, status: 'draining', leaseExpiresAt: now + ttlMs, answer: 'lease' };
  if (payload.in_flight > replica.capacity) return { refused: 'in_flight is above the admitted capacity' };
  if (replica.status === 'draining') return { refused: 'the replica is draining; renew by repeating drain' };
  if (!payload.connector_ready) return { ...next, status: 'offline', leaseExpiresAt: now, answer: 'lease' };
  return { ...next, status: 'ready', leaseExpiresAt: now + ttlMs, answer: 'lease' };
}

/** Whether the replica still stands as the repeated last command left it; then its stored lease is the answer. */
export function stillAsCommitted(command: LifecycleCommand, replica: Replica): boolean {
  if (command.operation === 'register') return replica.status === 'ready';
  if (toNumber(command.payload.previous_sequence) + 1 !== replica.healthRevision) return false;
  switch (command.operation) {
    case 'heartbeat':
      return replica.status === (command.payload.connector_ready ? 'ready' : 'offline');
    case 'drain':
      return replica.status === 'draining';
    case 'offline':
      return replica.status === 'offline';
  }
}

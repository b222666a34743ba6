import type { Pool, Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { ControlRejected } from '../../protocol/errors.js';
import { lifecycleDigest } from '../../protocol/lifecycle.js';
import type { LifecycleCommand } from '../../protocol/types.js';
import { findReplica, type Replica } from '../replicas.js';
import { readPreadmitted } from './preadmitted.js';
import { registrationProblem } from './registration.js';
import { fenced, type Refusal, register, stillAsCommitted, type Transition } from './transition.js';

/** A lifecycle request whose window, signer and signature were verified. */
export interface VerifiedLifecycleRequest {
  readonly requestId: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
  readonly command: LifecycleCommand;
}

/** What was committed. */
export type LifecycleCommit =
  | { readonly status: 'lease'; readonly sequence: number; readonly expiresAt: number }
  | { readonly status: 'offline' };

// Claims a request id until its window ends, also over an expired claim of the same id.
const CLAIM = `
INSERT INTO registry.control_replay AS c (request_id, expires_at, claimed_at) VALUES ($1, $2, $3)
ON CONFLICT (request_id) DO UPDATE SET expires_at = excluded.expires_at, claimed_at = excluded.claimed_at WHERE c.expires_at <= $3`;

// Remembers a claim for as long as its newest copy may be sent.
const EXTEND = `
INSERT INTO registry.control_replay AS c (request_id, expires_at, claimed_at) VALUES ($1, $2, $3)
ON CONFLICT (request_id) DO UPDATE SET expires_at = excluded.expires_at WHERE c.expires_at < excluded.expires_at`;

// Drops expired claims, oldest first, a few with each request.
const DROP_EXPIRED = `
DELETE FROM registry.control_replay WHERE request_id IN (
  SELECT request_id FROM registry.control_replay WHERE expires_at <= $1 ORDER BY expires_at LIMIT 256 FOR UPDATE SKIP LOCKED)`;

// Writes a transition on the locked row.
const WRITE = `
UPDATE registry.replicas SET status = $2, lease_expires_at = $3, health_revision = $4, capacity = $5, last_request_id = $6,
  last_request_digest = $7
WHERE id = $1`;

/** The id of the replica that a command is about. */
export function replicaIdOf(command: LifecycleCommand): string {
  return command.operation === 'register' ? command.payload.replica.id : command.payload.replica_id;
}

/**
 * Commits one lifecycle command: the claim of its request id and the transition are one transaction on the locked replica row, so a crash
 * in between leaves the exact retry safe. The last committed request again, byte for byte or with new times, answers the stored lease and
 * writes nothing. Throws ControlRejected (final; the claim stays), StorageUnavailable (nothing was committed).
 */
export async function commitLifecycle(
  pool: Pool,
  clock: Clock,
  request: VerifiedLifecycleRequest,
  ttlMs: number,
): Promise<LifecycleCommit> {
  const { command, requestId } = request;
  const digest = lifecycleDigest({ request_id: requestId, ...command });
  const outcome = await pool.tx(async (client): Promise<LifecycleCommit | Refusal> => {
    const replica = await findReplica(client, replicaIdOf(command), true);
    if (!replica) return { refused: 'the replica is unknown or the signer is not its own' };
    const now = clock();
    if (replica.lastRequestId === requestId) {
      if (replica.lastRequestDigest !== digest) return { refused: 'the request id was used with other content' };
      if (!stillAsCommitted(command, replica)) return { refused: 'the request was committed before a later state' };
      await client.query(EXTEND, [requestId, request.expiresAt, now]);
      return answerOf(command, replica);
    }
    const claimed = await client.query({
      name: 'registry.control.claim',
      text: CLAIM,
      values: [requestId, request.expiresAt, now],
    });
    if (claimed.rowCount === 0) return { refused: 'the request id was used before' };
    await client.query({ name: 'registry.control.drop_expired', text: DROP_EXPIRED, values: [now] });
    const next = await decide(client, command, replica, now, ttlMs);
    if ('refused' in next) return next;
    await client.query({
      name: 'registry.control.write',
      text: WRITE,
      values: [replica.id, next.status, next.leaseExpiresAt, next.healthRevision, next.capacity, requestId, digest],
    });
    return next.answer === 'offline'
      ? { status: 'offline' }
      : { status: 'lease', sequence: next.healthRevision, expiresAt: next.leaseExpiresAt };
  });
  if ('refused' in outcome) throw new ControlRejected(outcome.refused);
  return outcome;
}

async function decide(
  client: Queryable,
  command: LifecycleCommand,
  replica: Replica,
  now: number,
  ttlMs: number,
): Promise<Transition | Refusal> {
  if (command.operation !== 'register') return fenced(command, replica, now, ttlMs);
  const known = await readPreadmitted(client, replica);
  if (!known) return { refused: 'the version or instance of the replica is gone' };
  const problem = registrationProblem(command.payload, known);
  if (problem) return { refused: problem };
  return register(replica, command.payload.replica.capacity, now, ttlMs);
}

function answerOf(command: LifecycleCommand, replica: Replica): LifecycleCommit {
  if (command.operation === 'offline') return { status: 'offline' };
  return { status: 'lease', sequence: replica.healthRevision, expiresAt: replica.leaseExpiresAt };
}

import { groupCommit } from '../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { ControlRejected } from '../../protocol/errors.js';
import { lifecycleDigest } from '../../protocol/lifecycle.js';
import type { LifecycleCommand } from '../../protocol/types.js';
import { NOTIFY_FLEET } from '../fleet-channel.js';
import { lockReplicas, type Replica } from '../replicas.js';
import { preadmittedReader } from './preadmitted.js';
import { registrationProblem } from './registration.js';
import { fenced, type Refusal, register, registerRefusal, stillAsCommitted, type Transition } from './transition.js';

/** A lifecycle request whose window, signer and signature were verified. */
export interface VerifiedLifecycleRequest {
  readonly requestId: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
  /** The DID that signed: the replica must have it when the command is committed. */
  readonly signerDid: string;
  readonly command: LifecycleCommand;
}

/** What was committed. `pinned`, of a drain: actions that hold a place at the replica; no new ones come. */
export type LifecycleCommit =
  | { readonly status: 'lease'; readonly sequence: number; readonly expiresAt: number; readonly pinned?: number }
  | { readonly status: 'offline' };

// Claims request ids until their window ends, also over expired claims of the same ids; answers those that it got.
const CLAIM = `
INSERT INTO registry.control_replay AS c (request_id, expires_at, claimed_at)
SELECT id, expires_at, $3 FROM unnest($1::text[], $2::bigint[]) AS i(id, expires_at) ORDER BY id
ON CONFLICT (request_id) DO UPDATE SET expires_at = excluded.expires_at, claimed_at = excluded.claimed_at WHERE c.expires_at <= $3
RETURNING c.request_id`;

// Remembers claims for as long as their newest copies may be sent.
const EXTEND = `
INSERT INTO registry.control_replay AS c (request_id, expires_at, claimed_at)
SELECT id, max(expires_at), $3 FROM unnest($1::text[], $2::bigint[]) AS i(id, expires_at) GROUP BY id ORDER BY id
ON CONFLICT (request_id) DO UPDATE SET expires_at = excluded.expires_at WHERE c.expires_at < excluded.expires_at`;

// Drops expired claims, oldest first. A commit rarely has any to drop, so that it is one of many that asks.
const DROP_EXPIRED = `
DELETE FROM registry.control_replay WHERE request_id IN (
  SELECT request_id FROM registry.control_replay WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1024 FOR UPDATE SKIP LOCKED)`;

// Writes transitions on the locked rows.
const WRITE = `
UPDATE registry.replicas r SET status = i.status, lease_expires_at = i.lease_expires_at, health_revision = i.health_revision,
  capacity = i.capacity, last_request_id = i.request_id, last_request_digest = i.digest
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::int[], $6::text[], $7::text[])
  AS i(id, status, lease_expires_at, health_revision, capacity, request_id, digest)
WHERE r.id = i.id`;

/** Commands that one commit carries at most. */
const MAX_BATCH = 256;
/** Expired claims are dropped with the commit after so many commands, or so long after the last time, in milliseconds. */
const DROP_AFTER_COMMANDS = 256;
const DROP_AFTER_MS = 30_000;

/** One text for everything that would show a stranger whether a replica exists. */
export const UNTRUSTED_SIGNER = 'the replica is unknown or the signer is not its own';

/** A command on its way into a commit. */
interface Pending {
  readonly request: VerifiedLifecycleRequest;
  readonly digest: string;
  readonly ttlMs: number;
}

/** The id of the replica that a command is about. */
export function replicaIdOf(command: LifecycleCommand): string {
  return command.operation === 'register' ? command.payload.replica.id : command.payload.replica_id;
}

/**
 * Commits lifecycle commands. The claim of a request id and the transition are one transaction on the locked replica row, so a crash in
 * between leaves the exact retry safe; commands that arrive while one is committed share the next commit and are decided in their order.
 * The last committed request again, byte for byte or with new times, answers the stored lease and writes nothing. The function throws
 * ControlRejected (final; the claim stays), StorageUnavailable (nothing was committed).
 */
export function lifecycleCommits(
  pool: Pool,
  clock: Clock,
): (request: VerifiedLifecycleRequest, ttlMs: number) => Promise<LifecycleCommit> {
  const ports = { clock, readPreadmitted: preadmittedReader() };
  let droppedAt = 0;
  let sinceDrop = 0;
  const mayDrop = (now: number, commands: number): boolean => {
    sinceDrop += commands;
    if (sinceDrop < DROP_AFTER_COMMANDS && now - droppedAt < DROP_AFTER_MS) return false;
    droppedAt = now;
    sinceDrop = 0;
    return true;
  };
  const commit = groupCommit<Pending, LifecycleCommit>({
    pool,
    name: 'registry.lifecycle',
    maxBatch: MAX_BATCH,
    run: (client, items) => {
      const now = clock();
      return commitAll({ ...ports, client }, now, items, mayDrop(now, items.length));
    },
  });
  return async (request, ttlMs) => {
    const digest = lifecycleDigest({ request_id: request.requestId, ...request.command });
    return commit({ request, digest, ttlMs });
  };
}

/** What commands are decided with. */
interface Deciding {
  readonly client: Queryable;
  readonly clock: Clock;
  readonly readPreadmitted: ReturnType<typeof preadmittedReader>;
}

async function commitAll(
  deciding: Deciding,
  now: number,
  items: readonly Pending[],
  drop: boolean,
): Promise<(LifecycleCommit | ControlRejected)[]> {
  const { client } = deciding;
  // Together, since a claim that is not needed does no harm: it ends with its window.
  const [replicas, claimed] = await Promise.all([
    lockReplicas(
      client,
      items.map(({ request }) => replicaIdOf(request.command)),
    ),
    claim(client, items, now),
  ]);
  const changed = new Set<string>();
  let moved = false;
  const repeated: Pending[] = [];
  const answers: (LifecycleCommit | ControlRejected)[] = [];
  for (const item of items) {
    const outcome = await decideOne(item, replicas.get(replicaIdOf(item.request.command)));
    answers.push('refused' in outcome ? new ControlRejected(outcome.refused) : outcome);
  }
  const written = [...changed].map((id) => replicas.get(id) as Replica);
  await Promise.all([
    repeated.length > 0 && client.query(EXTEND, [...claimsOf(repeated), now]),
    written.length > 0 && write(client, written),
    moved && client.query({ name: 'registry.fleet.notify', text: NOTIFY_FLEET }),
    drop && client.query({ name: 'registry.control.drop_expired', text: DROP_EXPIRED, values: [now] }),
  ]);
  return answers;

  async function decideOne(item: Pending, replica: Replica | undefined): Promise<LifecycleCommit | Refusal> {
    const { digest, ttlMs } = item;
    const { command, requestId, signerDid } = item.request;
    if (replica?.peerDid !== signerDid) return { refused: UNTRUSTED_SIGNER };
    if (replica.lastRequestId === requestId) {
      if (replica.lastRequestDigest !== digest) return { refused: 'the request id was used with other content' };
      if (!stillAsCommitted(command, replica)) return { refused: 'the request was committed before a later state' };
      repeated.push(item);
      return answerOf(command, replica);
    }
    if (!claimed.delete(requestId)) return { refused: 'the request id was used before' };
    const next = await decide(deciding, command, replica, ttlMs);
    if ('refused' in next) return next;
    const { status, leaseExpiresAt, healthRevision, capacity } = next;
    const last = { lastRequestId: requestId, lastRequestDigest: digest };
    const after = { ...replica, status, leaseExpiresAt, healthRevision, capacity, ...last };
    replicas.set(replica.id, after);
    changed.add(replica.id);
    moved ||= status !== replica.status || command.operation === 'register';
    return next.answer === 'offline' ? { status: 'offline' } : answerOf(command, after);
  }
}

const claimsOf = (items: readonly Pending[]) => [
  items.map(({ request }) => request.requestId),
  items.map(({ request }) => request.expiresAt),
];

/** The request ids that these commands got; of several with one id, the first counts. */
async function claim(client: Queryable, items: readonly Pending[], now: number): Promise<Set<string>> {
  const first = [...new Map([...items].reverse().map((item) => [item.request.requestId, item])).values()];
  const { rows } = await client.query<{ request_id: string }>({
    name: 'registry.control.claim',
    text: CLAIM,
    values: [...claimsOf(first), now],
  });
  return new Set(rows.map((row) => row.request_id));
}

async function write(client: Queryable, replicas: readonly Replica[]): Promise<void> {
  const column = (name: keyof Replica) => replicas.map((replica) => replica[name]);
  await client.query({
    name: 'registry.control.write',
    text: WRITE,
    values: [
      column('id'),
      column('status'),
      column('leaseExpiresAt'),
      column('healthRevision'),
      column('capacity'),
      column('lastRequestId'),
      column('lastRequestDigest'),
    ],
  });
}

async function decide(
  { client, clock, readPreadmitted }: Deciding,
  command: LifecycleCommand,
  replica: Replica,
  ttlMs: number,
): Promise<Transition | Refusal> {
  // After the replica was locked, which may have taken long: leases begin with what they are decided by.
  const now = clock();
  if (command.operation !== 'register') return fenced(command, replica, now, ttlMs);
  const refusal = registerRefusal(replica, now);
  if (refusal) return refusal;
  const known = await readPreadmitted(client, replica);
  if (!known) return { refused: 'the version or instance of the replica was removed' };
  const problem = registrationProblem(command.payload, known);
  if (problem) return { refused: problem };
  return register(replica, command.payload.replica.capacity, now, ttlMs);
}

function answerOf({ operation }: LifecycleCommand, replica: Replica): LifecycleCommit {
  const { healthRevision: sequence, leaseExpiresAt: expiresAt, activeAssignments: pinned } = replica;
  if (operation === 'offline') return { status: 'offline' };
  return { status: 'lease', sequence, expiresAt, ...(operation === 'drain' && { pinned }) };
}

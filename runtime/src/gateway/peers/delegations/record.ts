import type { Queryable } from '../../../postgres/pool.js';
import { parseJson } from '../../../protocol/json.js';
import type {
  ActionResult,
  DelegationRequest,
  DelegationResult,
  PrincipalKind,
  StreamChunk,
} from '../../../protocol/types.js';
import { fairClaim, firstDue, type WaitingRows } from '../../claims/fair-turns.js';

/** A stored delegation. Times in ms since the epoch. */
export interface StoredDelegation {
  readonly seq: number;
  readonly delegation_id: string;
  readonly tenant_id: string | null;
  readonly principal_id: string;
  readonly delegate_id: string;
  readonly delegate_kind: PrincipalKind;
  readonly child_action_id: string;
  readonly request: DelegationRequest;
  readonly status: DelegationResult['status'];
  readonly result: DelegationResult | null;
  readonly delivery: 'pending' | 'delivered' | 'dead_lettered' | null;
  readonly attempts: number;
  readonly lease_id: string | null;
  readonly created_at: number;
  /** The ids under which the delegate knows the delegation and the child action; null: those of the request. */
  readonly sent_id: string | null;
  readonly sent_child_id: string | null;
  /** The last chunk of the child action's stream; null before the first. */
  readonly last_chunk_sequence: number | null;
  readonly last_chunk_kind: string | null;
}

/** A delegation as it is inserted. */
export type NewDelegation = Omit<
  StoredDelegation,
  'seq' | 'status' | 'result' | 'attempts' | 'last_chunk_sequence' | 'last_chunk_kind'
> & {
  readonly next_attempt_at: number | null;
};

type Row = Omit<StoredDelegation, 'request' | 'result'> & { request: string; result: string | null };

const COLUMNS = `d.seq, d.delegation_id, d.tenant_id, d.principal_id, d.delegate_id, d.delegate_kind, d.child_action_id,
  d.request::text AS request, d.status, d.result::text AS result, d.delivery, d.attempts, d.lease_id, d.created_at,
  d.sent_id, d.sent_child_id, d.last_chunk_sequence, d.last_chunk_kind`;

// A new delegation, unless its tenant has one of this id.
const INSERT = `
INSERT INTO runtime.delegations (delegation_id, tenant_id, principal_id, delegate_id, delegate_kind, child_action_id, request,
  status, delivery, attempts, next_attempt_at, lease_id, created_at, sent_id, sent_child_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'running', $8, CASE WHEN $8::text IS NULL THEN 0 ELSE 1 END, $9, $10, $11, $12, $13)
ON CONFLICT (delegation_id, tenant_id) DO NOTHING RETURNING seq`;

const FIND = `SELECT ${COLUMNS} FROM runtime.delegations d WHERE d.delegation_id = $1 AND d.tenant_id IS NOT DISTINCT FROM $2`;

// The delegations that are sent under this id and child action, of whatever tenant: their delegate reports on them. Several were stored by
// gateways that sent every delegation under its requester's ids.
const LOCK = `
SELECT ${COLUMNS} FROM runtime.delegations d WHERE (d.sent_id = $1 OR (d.delegation_id = $1 AND d.sent_id IS NULL))
  AND COALESCE(d.sent_child_id, d.child_action_id) = $2 ORDER BY d.seq FOR UPDATE`;

// The delegations whose child action is sent under this id, the open and newest ones first: its delegate sends the chunks. The bound keeps a
// tenant that gives one id to many from making each chunk read them all.
const LOCK_CHILD = `
SELECT ${COLUMNS} FROM runtime.delegations d WHERE (d.sent_child_id = $1 OR (d.child_action_id = $1 AND d.sent_child_id IS NULL))
ORDER BY d.completed_at IS NOT NULL, d.seq DESC LIMIT 16 FOR UPDATE`;

// Events are ordered by the ids of their transactions. One that waits for a row may have its id before another one that gets the row first.
const ONE_AT_A_TIME = `SELECT pg_advisory_xact_lock(hashtextextended('aip delegation chunks ' || $1, 0))`;

const CHUNK = `UPDATE runtime.delegations SET last_chunk_sequence = $2, last_chunk_kind = $3 WHERE seq = $1`;

/** Deliveries that wait for an attempt, and attempts that may have lost their gateway. */
const WAITING: WaitingRows = {
  table: 'runtime.delegations',
  id: 'delegation_id',
  where: `delivery = 'pending'`,
  dueAt: 'next_attempt_at',
};

// Takes deliveries that are due, of each tenant in turn, under a lease that ends at $3 when their worker is lost.
const CLAIM = `
WITH RECURSIVE ${fairClaim(WAITING, { name: 'due', now: '$1', limit: '$2', running: ['$5', '$6'], room: '$7' })}
UPDATE runtime.delegations d SET attempts = d.attempts + 1, next_attempt_at = $3, lease_id = $4 FROM due
WHERE d.delegation_id = due.delegation_id AND d.tenant_id IS NOT DISTINCT FROM due.tenant_id RETURNING ${COLUMNS}`;

// Ends an attempt, unless another gateway has the delivery now.
const FINISH = `
UPDATE runtime.delegations SET status = $3, result = $4, delivery = $5, next_attempt_at = $6, lease_id = NULL, completed_at = $7
WHERE seq = $1 AND lease_id IS NOT DISTINCT FROM $2 AND completed_at IS NULL`;

// Delegations that this deployment runs itself and whose child action has ended or waits for a human, the oldest first.
const ENDED_HERE = `
SELECT ${COLUMNS}, a.result::text AS child_result FROM runtime.delegations d JOIN runtime.actions a
  ON a.action_id = d.child_action_id AND a.tenant_id IS NOT DISTINCT FROM d.tenant_id AND a.principal_id = d.delegate_id
WHERE d.delivery IS NULL AND d.completed_at IS NULL AND a.result IS NOT NULL
  AND (a.completed_at IS NOT NULL OR a.state = 'pending_approval')
ORDER BY d.seq LIMIT $1`;

// Whether a delegation of this deployment waits for its end.
const IS_ENDED_HERE = `
SELECT EXISTS (SELECT FROM runtime.delegations d JOIN runtime.actions a
  ON a.action_id = d.child_action_id AND a.tenant_id IS NOT DISTINCT FROM d.tenant_id AND a.principal_id = d.delegate_id
  WHERE d.delivery IS NULL AND d.completed_at IS NULL AND a.result IS NOT NULL
    AND (a.completed_at IS NOT NULL OR a.state = 'pending_approval')) AS ended`;

const NEXT = firstDue(WAITING);

function decoded(row: Row): StoredDelegation {
  return {
    ...row,
    request: parseJson(row.request) as DelegationRequest,
    result: row.result === null ? null : (parseJson(row.result) as DelegationResult),
  };
}

/** Inserts a delegation; undefined when its tenant has one of this id already. */
export async function insertDelegation(client: Queryable, made: NewDelegation): Promise<number | undefined> {
  const { rows } = await client.query<{ seq: number }>({
    name: 'runtime.delegations.insert',
    text: INSERT,
    values: [
      made.delegation_id,
      made.tenant_id,
      made.principal_id,
      made.delegate_id,
      made.delegate_kind,
      made.child_action_id,
      JSON.stringify(made.request),
      made.delivery,
      made.next_attempt_at,
      made.lease_id,
      made.created_at,
      made.sent_id,
      made.sent_child_id,
    ],
  });
  return rows[0]?.seq;
}

/** The delegation of an id within a tenant. */
export async function findDelegation(
  db: Queryable,
  delegationId: string,
  tenantId: string | null,
): Promise<StoredDelegation | undefined> {
  const { rows } = await db.query<Row>({
    name: 'runtime.delegations.find',
    text: FIND,
    values: [delegationId, tenantId],
  });
  return rows[0] && decoded(rows[0]);
}

/** The delegations that are sent under an id and child action, locked. */
export async function lockDelegations(
  client: Queryable,
  delegationId: string,
  childActionId: string,
): Promise<StoredDelegation[]> {
  const values = [delegationId, childActionId];
  return (await client.query<Row>({ name: 'runtime.delegations.lock', text: LOCK, values })).rows.map(decoded);
}

/** The delegations whose child action is sent under an id, locked, in a transaction that has written nothing: events are ordered as the locks were taken. */
export async function lockDelegationsOfChild(client: Queryable, childActionId: string): Promise<StoredDelegation[]> {
  await client.query({ name: 'runtime.delegations.one_at_a_time', text: ONE_AT_A_TIME, values: [childActionId] });
  const found = await client.query<Row>({
    name: 'runtime.delegations.lock_child',
    text: LOCK_CHILD,
    values: [childActionId],
  });
  return found.rows.map(decoded);
}

/** Moves the stream of a locked delegation on to its last chunk. */
export async function moveStream(
  client: Queryable,
  { seq }: Pick<StoredDelegation, 'seq'>,
  { sequence, kind }: Pick<StreamChunk, 'sequence' | 'kind'>,
): Promise<void> {
  await client.query({ name: 'runtime.delegations.chunk', text: CHUNK, values: [seq, sequence, kind] });
}

/** What one gateway claims. */
export interface DelegationClaim {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly leaseId: string;
  readonly limit: number;
  /** Deliveries that the gateway runs already, by tenant; empty outside every tenant. */
  readonly running?: ReadonlyMap<string, number>;
  /** How many of one tenant it may run; default: as many as it claims. */
  readonly room?: number;
}

/** Takes up to `limit` deliveries that are due, of each tenant in turn. */
export async function claimDelegations(db: Queryable, claim: DelegationClaim): Promise<StoredDelegation[]> {
  const { nowMs, leaseMs, leaseId, limit } = claim;
  const { running = new Map<string, number>(), room = Number.MAX_SAFE_INTEGER } = claim;
  const values = [nowMs, limit, nowMs + leaseMs, leaseId, [...running.keys()], [...running.values()], room];
  return (await db.query<Row>({ name: 'runtime.delegations.claim', text: CLAIM, values })).rows.map(decoded);
}

/** Up to `limit` delegations of this deployment's own whose child action has a result. */
export async function endedHere(
  db: Queryable,
  limit: number,
): Promise<{ readonly delegation: StoredDelegation; readonly result: ActionResult }[]> {
  const { rows } = await db.query<Row & { child_result: string }>({
    name: 'runtime.delegations.ended_here',
    text: ENDED_HERE,
    values: [limit],
  });
  return rows.map(({ child_result, ...row }) => ({
    delegation: decoded(row),
    result: parseJson(child_result) as ActionResult,
  }));
}

/** Writes how an attempt ended; false when another gateway has the delivery, or its result is there. */
export async function finishDelegation(
  client: Queryable,
  { seq, lease_id }: Pick<StoredDelegation, 'seq' | 'lease_id'>,
  end: Pick<StoredDelegation, 'status' | 'result' | 'delivery'> & {
    nextAttemptAt: number | null;
    completedAt: number | null;
  },
): Promise<boolean> {
  const result = end.result === null ? null : JSON.stringify(end.result);
  const values = [seq, lease_id, end.status, result, end.delivery, end.nextAttemptAt, end.completedAt];
  return (await client.query({ name: 'runtime.delegations.finish', text: FINISH, values })).rowCount === 1;
}

/** When the next work on delegations is due, in milliseconds since the epoch; null when none is known. `delivers`: those of other delegates too. */
export async function nextDelegation(db: Queryable, delivers: boolean): Promise<number | null> {
  const { rows: ends } = await db.query<{ ended: boolean }>({
    name: 'runtime.delegations.is_ended_here',
    text: IS_ENDED_HERE,
    values: [],
  });
  if (ends[0]?.ended) return 0;
  if (!delivers) return null;
  const { rows } = await db.query<{ at: number | null }>({ name: 'runtime.delegations.next', text: NEXT, values: [] });
  return rows[0]?.at ?? null;
}

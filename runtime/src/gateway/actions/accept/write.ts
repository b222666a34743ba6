import type { Queryable } from '../../../postgres/pool.js';
import { isUniqueViolation } from '../../../postgres/unique-violation.js';
import { actionRef } from '../../../protocol/content/action-ref.js';
import { StorageUnavailable } from '../../../protocol/errors.js';
import { parseJson } from '../../../protocol/json.js';
import type { ActionResult } from '../../../protocol/types.js';
import { DESTINATION_COLUMNS, type Destination } from '../../../registry/allotments/place-held.js';
import type { PlannedRoute } from '../../../registry/allotments/plan.js';
import { ASSIGNMENT_COLUMNS } from '../../../registry/routes/assignment.js';
import { appendEvents, type NewEvent } from '../../events/log/append.js';
import { isOwnOf, linkOf, type StoredReceipt } from '../../records/receipts/action-chain.js';
import type { ReplayClaim } from '../../records/replay/freshness.js';
import { ACCEPTED_COLUMNS, type AcceptedRecord } from '../record/columns.js';
import { readAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';
import type { LiveState } from '../record/states.js';
import { WORK_CHANNEL } from '../record/work-channel.js';
import type { Reservation } from './idempotency.js';

/** The row of a new action, as far as it is known when it is accepted. Times in ms since the epoch. */
export interface NewAction extends Omit<AcceptedRecord, 'state'> {
  readonly state: LiveState;
  readonly error_code: string | null;
}

/** A pending approval as it is stored beside the action that waits for it. */
export interface NewApproval {
  readonly approval_id: string;
  readonly request: unknown;
  readonly policy_hash: string;
  readonly expires_at: number | null;
  /** What lets somebody decide it. */
  readonly approver_keys: readonly string[];
}

/** One action to be accepted, with everything that is written in the same commit. */
export interface Acceptance {
  readonly claim: ReplayClaim;
  readonly action: NewAction;
  readonly reservation?: Reservation | undefined;
  readonly receipts: readonly StoredReceipt[];
  readonly approval?: NewApproval | undefined;
  readonly events: readonly NewEvent[];
  /** The route that is stored with the action, in the same database. */
  readonly route?: PlannedRoute['row'] | undefined;
}

/** What became of it. */
export type AcceptOutcome =
  /** the record, its receipts and its reservation are committed */
  | { readonly kind: 'accepted'; readonly placed?: Destination }
  /** the message id was used before */
  | { readonly kind: 'replayed' }
  /** the action id is already known */
  | { readonly kind: 'known'; readonly record: ActionRecord }
  /** the idempotency key is held by another action; `result` is null while that one is live */
  | {
      readonly kind: 'key_taken';
      readonly ownerActionId: string;
      readonly capabilityId: string;
      readonly inputHash: string;
      readonly reservedUntil: number;
      readonly result: ActionResult | null;
    }
  /** the idempotency key was held, and its owner has given it back since: another try may have it */
  | { readonly kind: 'key_released' };

/** Documents of callers, which come as texts of their own. */
const DOCUMENTS = ['request', 'result'];
const ROW_COLUMNS = ACCEPTED_COLUMNS.filter(({ name }) => !DOCUMENTS.includes(name));

// Accepts a batch in one statement. Callers' documents come as texts of their own: a record set would read the escapes
// in them, and an escaped zero character is none that a text may hold. The message claims come first and stay also
// where the rest is not written. A reservation is made for an unknown action only, over none, over a settled one whose
// life is over, or over a lapsed one whose owner is no longer live. The action row follows the reservation; the receipts of
// its chain are in it, those of others and the approval follow it. No two items of a batch share a message id, an action id (also of two tenants) or a key.
const ITEM = `item AS MATERIALIZED (
  SELECT i.*, d.request::json AS request, d.result::json AS result, d.approval_request::json AS approval_request
  FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS d(request, result, approval_request, ord)
  JOIN json_to_recordset($1::json) AS i(ord bigint,
    ${ROW_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')},
    error_code text, claim_key text, claim_expires_at bigint,
    input_hash text, reserved_until bigint, ttl_ms bigint, receipts json[], further_receipts json,
    approval_policy_hash text, approval_expires_at bigint, approver_keys text[]) USING (ord)
)`;
const CLAIMED = `claimed AS (
  INSERT INTO runtime.replay_claims AS c (message_id, expires_at)
  SELECT claim_key, claim_expires_at FROM item
  ON CONFLICT (message_id) DO UPDATE SET expires_at = excluded.expires_at WHERE c.expires_at <= $2
  RETURNING message_id AS claim_key
)`;
// The claims of actions whose message and id are both unknown. A subquery a row reads by key, whatever the plan.
const CLAIMED_NEW = `claimed AS (
  INSERT INTO runtime.replay_claims (message_id, expires_at)
  SELECT claim_key, claim_expires_at FROM item i
  WHERE (SELECT c.expires_at FROM runtime.replay_claims c WHERE c.message_id = i.claim_key) IS NULL
    AND (SELECT a.seq FROM runtime.actions a WHERE a.action_id = i.action_id AND a.tenant_id IS NOT DISTINCT FROM i.tenant_id) IS NULL
  RETURNING message_id AS claim_key
)`;
const RESERVED = `reserved AS (
  INSERT INTO runtime.idempotency AS k
    (stored_key, owner_action_id, tenant_id, principal_id, capability_id, input_hash, reserved_until, ttl_ms)
  SELECT i.idempotency_key, i.action_id, i.tenant_id, i.principal_id, i.capability_id, i.input_hash, i.reserved_until, i.ttl_ms
  FROM item i JOIN claimed USING (claim_key)
  WHERE i.idempotency_key IS NOT NULL AND NOT EXISTS (SELECT FROM runtime.actions a WHERE a.action_id = i.action_id AND a.tenant_id IS NOT DISTINCT FROM i.tenant_id)
  ON CONFLICT (stored_key) DO UPDATE SET owner_action_id = excluded.owner_action_id, tenant_id = excluded.tenant_id,
    principal_id = excluded.principal_id, capability_id = excluded.capability_id, input_hash = excluded.input_hash,
    reserved_until = excluded.reserved_until,
    ttl_ms = excluded.ttl_ms, result = NULL, settled_at = NULL, expires_at = NULL
  WHERE k.expires_at <= $2 OR (k.result IS NULL AND k.reserved_until <= $2 AND NOT EXISTS (
    SELECT FROM runtime.actions o WHERE o.action_id = k.owner_action_id AND o.tenant_id IS NOT DISTINCT FROM k.tenant_id
      AND o.completed_at IS NULL))
  RETURNING stored_key
)`;
const inserted = (where: string): string => `inserted AS (
  INSERT INTO runtime.actions
    (${ACCEPTED_COLUMNS.map(({ name }) => name).join(', ')}, error_code, receipts, updated_at)
  SELECT ${ACCEPTED_COLUMNS.map(({ name }) => `i.${name}`).join(', ')}, i.error_code, i.receipts, i.accepted_at
  FROM item i JOIN claimed USING (claim_key)${where}
  ON CONFLICT (action_id, tenant_id) DO NOTHING
  RETURNING action_id
)`;
const WHERE_RESERVED = ` LEFT JOIN reserved r ON r.stored_key = i.idempotency_key
  WHERE i.idempotency_key IS NULL OR r.stored_key IS NOT NULL`;
const RECEIPTED = `receipted AS (
  INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
  SELECT r.chain_id, r.position, r.receipt_id, i.tenant_id, i.principal_id, r.hash, r.record
  FROM item i JOIN inserted USING (action_id),
    json_to_recordset(i.further_receipts) AS r(chain_id text, position integer, receipt_id text, hash text, record json)
)`;
// In order of the tenant, whose count of approvals each row locks: no deadlock between batches.
const APPROVALS = `approvals AS (
  INSERT INTO runtime.approvals
    (approval_id, action_id, capability_id, tenant_id, requester_id, subject_id, status, request, policy_hash, expires_at,
     approver_keys, created_at, updated_at)
  SELECT i.approval_id, i.action_id, i.capability_id, i.tenant_id, i.principal_id, i.principal_id, 'pending', i.approval_request,
    i.approval_policy_hash, i.approval_expires_at, i.approver_keys, i.accepted_at, i.accepted_at
  FROM item i JOIN inserted USING (action_id) WHERE i.approval_request IS NOT NULL
  ORDER BY COALESCE(i.tenant_id, '') COLLATE "C"
)`;
const ANSWER = `
SELECT i.action_id, c.claim_key IS NOT NULL AS fresh, n.action_id IS NOT NULL AS accepted
FROM item i LEFT JOIN claimed c ON c.claim_key = i.claim_key LEFT JOIN inserted n ON n.action_id = i.action_id`;

// The routes of actions that were planned before: each is stored with its action where the catalog is the one by which it was
// planned, its replica is ready, and its holder still has the shares that it is counted in. Nothing is locked for that. An action whose route is
// not stored gets one later.
const ROUTED = `routed AS (
  INSERT INTO registry.assignments (${ASSIGNMENT_COLUMNS}, assigned_at, admission, reserved, held, updated_at, holder)
  SELECT t.action_id, t.capability_id, t.tenant_id, t.instance_id, r.id, t.version_id, t.manifest_digest, r.endpoint,
    r.peer_principal_id, r.peer_principal_kind, r.peer_did, r.trust_domain, r.transport_profile, t.catalog_revision,
    t.binding_policy_revision, t.credential_revision_ref, t.quota_policy_ref, r.health_revision, t.fence_token, $2,
    t.admission, true, t.admission -> 'base', $2, h.id
  FROM json_to_recordset($6::json) AS t(action_id text, capability_id text, tenant_id text, instance_id text, replica_id text,
    version_id text, manifest_digest text, catalog_revision bigint, binding_policy_revision bigint, credential_revision_ref text,
    quota_policy_ref text, fence_token text, admission json, holder text, holder_seq bigint)
  JOIN inserted USING (action_id)
  JOIN registry.catalog c ON c.revision = t.catalog_revision
  JOIN registry.holders h ON h.id = t.holder AND h.seq >= t.holder_seq AND h.lease_expires_at > $2
  JOIN registry.replicas r ON r.id = t.replica_id
  WHERE r.id = ANY($7::text[]) AND r.status = 'ready' AND r.lease_expires_at > $2 AND r.circuit_open_until <= $2
  ON CONFLICT (action_id, tenant_id) DO NOTHING
  RETURNING action_id, ${DESTINATION_COLUMNS}
)`;
const PLACED_ANSWER = `
SELECT i.action_id, c.claim_key IS NOT NULL AS fresh, n.action_id IS NOT NULL AS accepted, p.action_id IS NOT NULL AS placed,
  ${DESTINATION_COLUMNS}
FROM item i LEFT JOIN claimed c ON c.claim_key = i.claim_key LEFT JOIN inserted n ON n.action_id = i.action_id
LEFT JOIN routed p ON p.action_id = i.action_id`;

// Nearly all messages and actions are new. For those a plain insert writes a WAL record less a row than one that expects a conflict; it fails
// where another statement writes one of the rows meanwhile. Most of them also bring no key, approval or receipt of another chain: the parts that
// write those are left out where they also bring a route. All forms have the same parameters.
const UNLESS_KNOWN = 'ON CONFLICT (action_id, tenant_id) DO NOTHING';
const HOLDING = [RESERVED, inserted(WHERE_RESERVED), RECEIPTED, APPROVALS];
const forms = (name: string, parts: readonly string[], known: boolean) => {
  const text = (answer: string, further: readonly string[] = []): string => {
    const all = `WITH ${[ITEM, ...parts, ...further].join(', ')}${answer}`;
    return known ? all : all.replaceAll(UNLESS_KNOWN, '');
  };
  return {
    unplaced: { name: `runtime.action.${name}`, text: text(ANSWER) },
    placed: { name: `runtime.action.${name}_placed`, text: text(PLACED_ANSWER, [ROUTED]) },
  };
};
const ACCEPT = {
  any: forms('accept', [CLAIMED, ...HOLDING], true),
  unknown: forms('accept_new', [CLAIMED_NEW, ...HOLDING], false),
};
const ACCEPT_PLAIN = forms('accept_new_plain', [CLAIMED_NEW, inserted('')], false).placed;

// Who holds an idempotency key, and its result: the settled one, or the one with which the owner waits for an approval.
const READ_KEY = `
SELECT k.owner_action_id, k.capability_id, k.input_hash, LEAST(k.reserved_until, ${Number.MAX_SAFE_INTEGER}) AS reserved_until, COALESCE(k.result, o.result)::text AS result
FROM runtime.idempotency k LEFT JOIN runtime.actions o
  ON o.action_id = k.owner_action_id AND o.tenant_id IS NOT DISTINCT FROM k.tenant_id WHERE k.stored_key = $1`;

// Notifies the workers of every gateway, when the transaction commits, that there is work.
const NOTIFY_WORK = `SELECT pg_notify($1, 'work')`;

/** What the statement says of one action. */
type Answer = { action_id: string; fresh: boolean; accepted: boolean; placed?: boolean } & Destination;

/**
 * Writes a batch of acceptances in the transaction of `client`: claims, reservations, rows, receipts, approvals and
 * events. Made to be the `run` of a group commit. The outcomes are in the order of the items.
 */
export async function acceptBatch(
  client: Queryable,
  items: readonly Acceptance[],
  nowMs: number,
): Promise<AcceptOutcome[]> {
  const outcomes = new Map<Acceptance, AcceptOutcome>();
  for (let open = [...items]; open.length > 0; ) {
    const { distinct, later } = disjoint(open);
    const answers = byAction(await ask(client, distinct, nowMs, 'any'));
    for (const item of distinct) outcomes.set(item, await outcomeOf(client, item, answers.get(item.action.action_id)));
    open = later;
  }
  const accepted = items.filter((item) => outcomes.get(item)?.kind === 'accepted');
  if (accepted.some(isQueued)) await notifyWork(client);
  const events = accepted.flatMap((item) => item.events);
  if (events.length > 0) await appendEvents(client, events);
  return items.map((item) => outcomes.get(item) as AcceptOutcome);
}

/**
 * Writes a batch of acceptances without a transaction, which isOneStatement permits. What fails after the first statement is the failure of one
 * item: the others may be stored, and must not be written again with it.
 */
export async function acceptAlone(
  db: Queryable,
  items: readonly Acceptance[],
  nowMs: number,
): Promise<(AcceptOutcome | Error)[]> {
  const first = await ask(db, items, nowMs, 'unknown').catch((error) => {
    if (isUniqueViolation(error)) return [];
    throw error;
  });
  const answers = new Map<string, Answer | Error>(byAction(first.filter(({ fresh }) => fresh)));
  const others = items.filter(({ action }) => !answers.has(action.action_id));
  for (const [actionId, answer] of await answersOfOthers(db, others, nowMs)) answers.set(actionId, answer);
  const outcomes: (AcceptOutcome | Error)[] = [];
  for (const item of items) {
    const answer = answers.get(item.action.action_id);
    outcomes.push(answer instanceof Error ? answer : await outcomeOf(db, item, answer).catch(asIs));
  }
  // The actions are stored: workers that are not notified find them when they poll.
  if (items.some((item, index) => isAccepted(outcomes[index]) && isQueued(item))) await notifyWork(db).catch(asIs);
  return outcomes;
}

/** What became of items that are not new, or that another statement writes now, in the form that takes conflicts: each alone where they fail together. */
async function answersOfOthers(
  db: Queryable,
  items: readonly Acceptance[],
  nowMs: number,
): Promise<Map<string, Answer | Error>> {
  if (items.length === 0) return new Map();
  try {
    return byAction(await ask(db, items, nowMs, 'any'));
  } catch (error) {
    if (items.length === 1 || error instanceof StorageUnavailable)
      return new Map(items.map(({ action }) => [action.action_id, error as Error]));
    const answers = new Map<string, Answer | Error>();
    for (const item of items)
      for (const [actionId, answer] of await answersOfOthers(db, [item], nowMs)) answers.set(actionId, answer);
    return answers;
  }
}

async function outcomeOf(db: Queryable, item: Acceptance, answer: Answer | undefined): Promise<AcceptOutcome> {
  if (answer?.accepted) return { kind: 'accepted', ...(answer.placed && { placed: answer }) };
  return answer?.fresh ? refusalOf(db, item) : { kind: 'replayed' };
}

async function notifyWork(db: Queryable): Promise<void> {
  await db.query({ name: 'runtime.action.notify_work', text: NOTIFY_WORK, values: [WORK_CHANNEL] });
  db.announce?.(WORK_CHANNEL);
}

function byAction(answers: readonly Answer[]): Map<string, Answer> {
  return new Map(answers.map((answer) => [answer.action_id, answer]));
}

function isAccepted(outcome: AcceptOutcome | Error | undefined): boolean {
  return outcome !== undefined && 'kind' in outcome && outcome.kind === 'accepted';
}

function isQueued({ action }: Acceptance): boolean {
  return action.state === 'queued';
}

function asIs(error: Error): Error {
  return error;
}

/** Whether nothing is stored with the row of an action but its claim and its route. */
function isPlain({ action, approval, receipts }: Acceptance): boolean {
  return action.idempotency_key === null && !approval && receipts.every(isOwnOf(action.action_id));
}

async function ask(
  client: Queryable,
  items: readonly Acceptance[],
  nowMs: number,
  form: keyof typeof ACCEPT,
): Promise<Answer[]> {
  const routes = items.flatMap(({ route }) => route ?? []);
  const placing = routes.length > 0;
  const plain = placing && form === 'unknown' && items.every(isPlain);
  const statement = plain ? ACCEPT_PLAIN : ACCEPT[form][placing ? 'placed' : 'unplaced'];
  const { rows } = await client.query<Answer>({
    ...statement,
    values: [
      JSON.stringify(items.map((item, index) => ({ ord: index + 1, ...row(item) }))),
      nowMs,
      items.map(({ action }) => JSON.stringify(action.request)),
      items.map(({ action }) => jsonOrNull(action.result)),
      items.map(({ approval }) => jsonOrNull(approval?.request)),
      ...(placing ? [JSON.stringify(routes), routes.map(({ replica_id }) => replica_id)] : []),
    ],
  });
  return rows;
}

/** Whether a batch of acceptances is written by one statement: nothing of it follows, and no item is in another's way. */
export function isOneStatement(items: readonly Acceptance[]): boolean {
  return items.every(({ events }) => events.length === 0) && disjoint(items).later.length === 0;
}

/** Splits off the items that share no message id, action id or key with an earlier one of the batch. */
function disjoint(items: readonly Acceptance[]): { distinct: Acceptance[]; later: Acceptance[] } {
  const used = new Set<string>();
  const distinct: Acceptance[] = [];
  const later: Acceptance[] = [];
  for (const item of items) {
    const names = [`m ${item.claim.key}`, `a ${item.action.action_id}`];
    if (item.reservation) names.push(`k ${item.reservation.stored_key}`);
    if (names.some((name) => used.has(name))) later.push(item);
    else distinct.push(item);
    for (const name of names) used.add(name);
  }
  return { distinct, later };
}

function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function row(item: Acceptance): Record<string, unknown> {
  const { reservation, approval, receipts } = item;
  const own = isOwnOf(item.action.action_id);
  const further = receipts.filter((receipt) => !own(receipt));
  const { request: _request, result: _result, ...columns } = item.action;
  return {
    ...columns,
    claim_key: item.claim.key,
    claim_expires_at: item.claim.expiresAt,
    ...(reservation && {
      input_hash: reservation.input_hash,
      reserved_until: reservation.reserved_until,
      ttl_ms: reservation.ttl_ms,
    }),
    receipts: receipts.filter(own).map(linkOf),
    ...(further.length > 0 && { further_receipts: further }),
    ...(approval && {
      approval_policy_hash: approval.policy_hash,
      approval_expires_at: approval.expires_at,
      approver_keys: approval.approver_keys,
    }),
  };
}

async function refusalOf(client: Queryable, item: Acceptance): Promise<AcceptOutcome> {
  const record = await readAction(client, actionRef(item.action));
  if (record) return { kind: 'known', record };
  const found = await client.query<{
    owner_action_id: string;
    capability_id: string;
    input_hash: string;
    reserved_until: number;
    result: string | null;
  }>({ name: 'runtime.idempotency.read', text: READ_KEY, values: [item.reservation?.stored_key] });
  const key = found.rows[0];
  if (!key) return { kind: 'key_released' };
  return {
    kind: 'key_taken',
    ownerActionId: key.owner_action_id,
    capabilityId: key.capability_id,
    inputHash: key.input_hash,
    reservedUntil: key.reserved_until,
    result: key.result === null ? null : (parseJson(key.result) as ActionResult),
  };
}

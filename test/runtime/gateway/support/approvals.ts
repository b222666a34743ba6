import {
  type ApprovalRef,
  type ApprovalRow,
  readApproval,
  readVotes,
} from '#runtime/gateway/actions/approval/record.js';
import { parseAuthorityFile } from '#runtime/gateway/approvals/authority/file.js';
import { authorityResolver } from '#runtime/gateway/approvals/authority/resolve.js';
import { decideApproval } from '#runtime/gateway/approvals/decide/decide.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { ownedChains } from '#runtime/gateway/records/receipts/read-chains.js';
import type { Queryable } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import type {
  Action,
  ApprovalDecision,
  ApprovalPolicy,
  ApprovalRequest,
  EventStream,
  ReceiptChain,
} from '#runtime/protocol/types.js';
import { resultOf, type TestGateway } from './actions.ts';

const GATEWAY = { id: 'service:gateway', kind: 'service' } as const;

/** A policy for tests: the role finance-lead decides, and nobody decides about what they asked for. */
export function policyOf(changes: Partial<ApprovalPolicy> = {}): ApprovalPolicy {
  return {
    required: true,
    approver_selector: { type: 'role', name: 'finance-lead' },
    ttl_ms: 3_600_000,
    minimum_distinct_principals: 1,
    separation_of_duties: { requester_must_differ: true, operator_must_differ: false, allow_self_approval: false },
    ...changes,
  };
}

/** A human with roles in the tenant acme. */
export function approver(
  id: string,
  roles: string[] = ['finance-lead'],
  tenantId: string | undefined = 'acme',
): Identity {
  const tenant = tenantId === undefined ? {} : { tenantId };
  return { principal: { id, kind: 'human' }, scopes: new Set(['approval:read']), ...tenant, roles, scheme: 'bearer' };
}

/** What deciding needs over the database of a test gateway; `authority` is the text of an authority file. */
export function decideDeps({ pool }: Pick<TestGateway, 'pool'>, authority?: object[], clock: () => number = Date.now) {
  const table = authority && parseAuthorityFile(JSON.stringify(authority));
  return { pool, clock, gateway: GATEWAY, authorityOf: authorityResolver({ table: table && (() => table), clock }) };
}

/** Submits an action that has to wait; returns its id and the request for its approval. */
export async function waitingAction(
  gateway: TestGateway,
  action: Partial<Action> & { capability_id: string },
): Promise<{ actionId: string; request: ApprovalRequest & { policy_hash: string } }> {
  const actionId = action.id ?? newId('action');
  const result = resultOf(await gateway.submit({ ...action, id: actionId }));
  const request = (result.output as { approval_request: ApprovalRequest & { policy_hash: string } }).approval_request;
  return { actionId, request };
}

/** A vote of `as` on a request, with a decision id of its own. */
export function vote(
  request: ApprovalRequest,
  as: Identity,
  changes: Partial<ApprovalDecision> = {},
): ApprovalDecision {
  const { id, kind } = as.principal;
  return {
    approval_id: request.id,
    decision: 'approved',
    approver: { id, kind },
    decided_at: formatTime(Date.now()),
    decision_id: newId('message'),
    ...(request.policy_hash === undefined ? {} : { policy_hash: request.policy_hash }),
    ...changes,
  };
}

/** Decides as `as`; answers the events. */
export function decide(
  deps: ReturnType<typeof decideDeps>,
  as: Identity,
  request: ApprovalRequest,
  changes: Partial<ApprovalDecision> = {},
): Promise<EventStream> {
  return decideApproval(deps, as, vote(request, as, changes));
}

/** The stored approval. */
export async function stored({ pool }: Pick<TestGateway, 'pool'>, approvalId: string): Promise<ApprovalRow> {
  const found = await readApproval(pool, await refOf(pool, approvalId));
  if (!found) throw new Error(`there is no approval ${approvalId}`);
  return found;
}

/** How many votes an approval has. */
export async function voteCount({ pool }: Pick<TestGateway, 'pool'>, approvalId: string): Promise<number> {
  return (await readVotes(pool, await refOf(pool, approvalId))).length;
}

async function refOf(pool: Queryable, approvalId: string): Promise<ApprovalRef> {
  const text = 'SELECT tenant_id FROM runtime.approvals WHERE approval_id = $1';
  const { rows } = await pool.query<{ tenant_id: string | null }>({ text, values: [approvalId] });
  return { approvalId, tenantId: rows[0]?.tenant_id ?? null };
}

/** The receipts of an approval. */
export async function chainOf({ pool }: Pick<TestGateway, 'pool'>, approvalId: string): Promise<ReceiptChain> {
  const [found] = await ownedChains(pool, [`approval:${approvalId}`]);
  if (!found) throw new Error(`there are no receipts of ${approvalId}`);
  return found.chain;
}

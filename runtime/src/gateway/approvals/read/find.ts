import type { Queryable } from '../../../postgres/pool.js';
import { actionRef } from '../../../protocol/content/action-ref.js';
import { AipError, NotAuthorized } from '../../../protocol/errors.js';
import { actionInputHash } from '../../../protocol/hashes.js';
import type { ApprovalEvidencePayload, ApprovalRecordView } from '../../../protocol/types.js';
import {
  APPROVAL_COLUMNS,
  type ApprovalRow,
  decodeApproval,
  type StoredApprovalRow,
} from '../../actions/approval/record.js';
import { readAction } from '../../actions/record/read.js';
import type { Identity } from '../../edge/identity.js';
import { type Access, authorizeQuery, ofOneTenant } from '../../edge/query-authorization.js';
import type { AuthorityResolver } from '../authority/resolve.js';
import { approvalAccess, visibleApprovals } from './access.js';
import { approvalViews } from './view.js';

/** What reading approvals needs. */
export interface ApprovalReadDeps {
  readonly pool: Queryable;
  readonly authorityOf: AuthorityResolver;
}

/** A query for one approval. */
export interface ApprovalQuery {
  readonly approvalId: string;
  readonly tenantId?: string | undefined;
  readonly includeActionStatus?: boolean | undefined;
  readonly includeReceipts?: boolean | undefined;
  readonly includeEvidencePayload?: boolean | undefined;
}

/**
 * One approval that the caller may see. The exact input comes only on request, and only to a caller with approval:export and
 * approval:sensitive. Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, QueryInvalid for an id that
 * several tenants use, and `approval.not_found` also for one that the caller may not see.
 */
export async function findApproval(
  deps: ApprovalReadDeps,
  identity: Identity,
  query: ApprovalQuery,
  nowMs: number,
): Promise<ApprovalRecordView> {
  const approval = await visibleApproval(deps, identity, query, nowMs);
  if (query.includeEvidencePayload) authorizePayload(identity, approval, query.tenantId, nowMs);
  const [view] = await approvalViews(deps.pool, [approval], {
    includeActionStatus: query.includeActionStatus,
    includeReceipts: query.includeReceipts,
    results: resultAccess(identity, query.tenantId, nowMs),
  });
  const payload = query.includeEvidencePayload ? await payloadOf(deps.pool, approval) : undefined;
  return { ...(view as ApprovalRecordView), ...(payload && { evidence_payload: payload }) };
}

/** The actions whose results the caller may read, or undefined when it may read none. */
export function resultAccess(identity: Identity, tenantId: string | undefined, nowMs: number): Access | undefined {
  try {
    return authorizeQuery(identity, { object: 'action', operation: 'read', tenantId }, nowMs);
  } catch (error) {
    if (error instanceof NotAuthorized) return undefined;
    throw error;
  }
}

async function visibleApproval(
  { pool, authorityOf }: ApprovalReadDeps,
  identity: Identity,
  { approvalId, tenantId }: ApprovalQuery,
  nowMs: number,
): Promise<ApprovalRow> {
  const access = await approvalAccess(authorityOf, identity, tenantId, nowMs);
  const values: unknown[] = [approvalId];
  const clauses = visibleApprovals(access, (value) => `$${values.push(value)}`);
  const text = `SELECT ${APPROVAL_COLUMNS} FROM runtime.approvals p WHERE ${['p.approval_id = $1', ...clauses].join(' AND ')}
    ORDER BY p.tenant_id NULLS FIRST LIMIT 2`;
  const { rows } = await pool.query<StoredApprovalRow>({ text, values });
  const [found] = ofOneTenant(rows, approvalId);
  if (!found) throw new AipError('approval.not_found', undefined, { details: { approval_id: approvalId } });
  return decodeApproval(found);
}

/** Who sees an approval exports it for itself; a grant counts for what its own principal requested. */
function authorizePayload(
  identity: Identity,
  { requester_id: requester }: ApprovalRow,
  tenantId: string | undefined,
  nowMs: number,
): void {
  const extraScopes = ['approval:sensitive'];
  const access = authorizeQuery(identity, { object: 'approval', operation: 'export', tenantId, extraScopes }, nowMs);
  if (access.principals === 'any' || access.principals.includes(identity.principal.id)) return;
  if (!access.principals.includes(requester))
    throw new NotAuthorized('the scope approval:export is needed', {
      details: { object: 'approval', operation: 'Export' },
    });
}

/** The exact work that an approval governs; absent while its action was not submitted. */
async function payloadOf(db: Queryable, approval: ApprovalRow): Promise<ApprovalEvidencePayload | undefined> {
  const action = await readAction(db, actionRef(approval));
  if (action?.approval_id !== approval.approval_id) return undefined;
  const { input, transaction, identity } = action.request;
  return {
    action_id: action.action_id,
    capability_id: action.capability_id,
    input_hash: actionInputHash(action.request),
    input,
    ...(transaction === undefined ? {} : { transaction }),
    ...(identity === undefined ? {} : { identity }),
  };
}

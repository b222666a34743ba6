import { QueryInvalid } from '../../../protocol/errors.js';
import type { ApprovalList } from '../../../protocol/types.js';
import {
  APPROVAL_COLUMNS,
  APPROVAL_STATES,
  type ApprovalState,
  decodeApproval,
  type StoredApprovalRow,
} from '../../actions/approval/record.js';
import type { Identity } from '../../edge/identity.js';
import { openValues } from '../../edge/lists/conditions.js';
import { type CursorBinding, rowCursors } from '../../edge/lists/cursors.js';
import { pageRows, withinBytes } from '../../edge/lists/page.js';
import { approvalAccess, visibleApprovals } from './access.js';
import { type ApprovalReadDeps, resultAccess } from './find.js';
import { approvalViews } from './view.js';

/** The filters of the approval list; absent ones do not filter. `approver` is a principal whom the request names. */
export interface ApprovalFilters {
  readonly status?: string | undefined;
  readonly approver?: string | undefined;
  readonly requester?: string | undefined;
  readonly tenantId?: string | undefined;
}

/** A page of the approval list. */
export interface ApprovalListQuery extends ApprovalFilters {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly includeActionStatus?: boolean | undefined;
  readonly includeReceipts?: boolean | undefined;
}

/**
 * A page of the approvals that the caller may see, in the order in which they were requested (scope approval:read). A filter never adds
 * any. Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, CursorInvalid, and QueryInvalid for a status that does not exist.
 */
export async function listApprovals(
  deps: ApprovalReadDeps,
  identity: Identity,
  query: ApprovalListQuery,
  nowMs: number,
): Promise<ApprovalList> {
  const { cursor, limit, includeActionStatus, includeReceipts, ...filters } = query;
  const status = statusOf(filters.status);
  const access = await approvalAccess(deps.authorityOf, identity, filters.tenantId, nowMs);
  const binding: CursorBinding = { operation: 'approvals', identity, filters: { ...filters } };
  const cursors = await rowCursors(deps.pool, binding);
  const after = cursor === undefined ? 0 : cursors.read(cursor);
  const size = pageRows(limit);
  const { values, bind } = openValues();
  const clauses = visibleApprovals(access, bind);
  if (status !== undefined) clauses.push(`p.status = ${bind(status)}`);
  if (filters.requester !== undefined) clauses.push(`p.requester_id = ${bind(filters.requester)}`);
  if (filters.approver !== undefined) clauses.push(`${bind(`principal:${filters.approver}`)} = ANY(p.approver_keys)`);
  clauses.push(`p.seq > ${bind(after)}`);
  const text = `SELECT ${APPROVAL_COLUMNS} FROM runtime.approvals p WHERE ${clauses.join(' AND ')} ORDER BY p.seq LIMIT ${bind(size + 1)}`;
  const found = (await deps.pool.query<StoredApprovalRow>({ text, values })).rows;
  const rows = withinBytes(found.slice(0, size), bytesOf).map(decodeApproval);
  const last = rows.at(-1);
  return {
    approvals: await approvalViews(deps.pool, rows, {
      includeActionStatus,
      includeReceipts,
      results: resultAccess(identity, filters.tenantId, nowMs),
    }),
    ...(last && found.length > rows.length ? { cursor: cursors.write(last.seq) } : {}),
  };
}

function statusOf(text: string | undefined): ApprovalState | undefined {
  const found = APPROVAL_STATES.find((state) => state === text);
  if (text !== undefined && found === undefined)
    throw new QueryInvalid(`status must be one of: ${APPROVAL_STATES.join(', ')}`, {
      details: { parameter: 'status' },
    });
  return found;
}

function bytesOf({ request, decision }: StoredApprovalRow): number {
  return request.length + (decision?.length ?? 0);
}

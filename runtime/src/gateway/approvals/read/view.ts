import type { Queryable } from '../../../postgres/pool.js';
import { formatTime } from '../../../protocol/time.js';
import type { ActionStatus, ApprovalRecordView, ReceiptChain } from '../../../protocol/types.js';
import type { ApprovalRow } from '../../actions/approval/record.js';
import { actionView } from '../../actions/read/view.js';
import { ACTION_COLUMNS, type StoredActionRecord } from '../../actions/record/columns.js';
import { decodeAction } from '../../actions/record/read.js';
import type { ActionRecord } from '../../actions/record/record.js';
import { type Access, reaches } from '../../edge/query-authorization.js';
import { approvalChainId } from '../../records/receipts/action-chain.js';
import { type ChainRef, readChains } from '../../records/receipts/read-chains.js';

// The actions of several approvals.
const READ_ACTIONS = `
SELECT ${ACTION_COLUMNS} FROM unnest($1::text[], $2::text[]) AS asked(action_id, tenant_id)
JOIN runtime.actions a ON a.action_id = asked.action_id AND a.tenant_id IS NOT DISTINCT FROM asked.tenant_id WHERE a.action_id = ANY($1::text[])`;

/** What views carry beyond the approvals themselves. */
export interface ApprovalExtras {
  readonly includeActionStatus?: boolean | undefined;
  readonly includeReceipts?: boolean | undefined;
  /** The actions whose results the caller may read; a status of any other comes without its result. */
  readonly results?: Access | undefined;
}

/** The views of approvals, in order, with the requested extras. */
export async function approvalViews(
  db: Queryable,
  approvals: readonly ApprovalRow[],
  extras: ApprovalExtras,
): Promise<ApprovalRecordView[]> {
  const statuses = extras.includeActionStatus ? await actionStatuses(db, approvals, extras.results) : undefined;
  const chains = extras.includeReceipts ? await readChains(db, approvals.map(chainOf)) : undefined;
  return approvals.map((approval) =>
    viewOf(approval, {
      status: statuses?.get(keyOf(approval)),
      chain: chains?.(chainOf(approval)),
    }),
  );
}

function chainOf({ approval_id, tenant_id }: ApprovalRow): ChainRef {
  return { chainId: approvalChainId(approval_id), tenantId: tenant_id };
}

function viewOf(
  approval: ApprovalRow,
  { status, chain }: { status: ActionStatus | undefined; chain: ReceiptChain | undefined },
): ApprovalRecordView {
  return {
    request: approval.request,
    ...(approval.decision === null ? {} : { decision: approval.decision }),
    status: approval.status,
    ...(status && { action_status: status }),
    ...(chain && { receipt_chain: chain }),
    created_at: formatTime(approval.created_at),
    updated_at: formatTime(approval.updated_at),
  };
}

/** The status of each approval's action by keyOf; an approval that was requested before its action has none yet. */
async function actionStatuses(
  db: Queryable,
  approvals: readonly ApprovalRow[],
  results: Access | undefined,
): Promise<Map<string, ActionStatus>> {
  const { rows } = await db.query<StoredActionRecord>({
    name: 'runtime.approval.actions',
    text: READ_ACTIONS,
    values: [approvals.map(({ action_id }) => action_id), approvals.map(({ tenant_id }) => tenant_id)],
  });
  const views = new Map<string, ActionStatus>();
  for (const record of rows.map(decodeAction))
    if (record.approval_id !== null)
      views.set(keyOf(record), actionView(record, { includeResult: mayReadResult(record, results) }));
  return views;
}

/** One text for an approval; no id holds a line break. */
function keyOf(row: { readonly approval_id: string | null; readonly tenant_id: string | null }): string {
  return `${row.tenant_id ?? ''}\n${row.approval_id}`;
}

function mayReadResult(record: ActionRecord, results: Access | undefined): boolean {
  return results !== undefined && reaches(results, { tenantId: record.tenant_id, principalId: record.principal_id });
}

import type { Queryable } from '../../../postgres/pool.js';
import type { VerifiedDecision } from '../../../protocol/approvals/record.js';
import { parseJson } from '../../../protocol/json.js';
import type { ApprovalDecision, ApprovalRequest } from '../../../protocol/types.js';

/** What an approval may be. Only a pending one changes. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired', 'revoked'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** One row of runtime.approvals. Times in ms since the epoch. */
export interface ApprovalRow {
  readonly approval_id: string;
  readonly seq: number;
  readonly action_id: string;
  readonly capability_id: string;
  readonly tenant_id: string | null;
  readonly requester_id: string;
  /** Null: stored by a gateway that did not know it. */
  readonly subject_id: string | null;
  readonly status: ApprovalState;
  readonly request: ApprovalRequest;
  readonly decision: ApprovalDecision | null;
  readonly policy_hash: string;
  readonly submitted_digest: string | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An approval as this deployment names it: clients choose ids, so each is unique within its tenant, or outside every tenant. */
export interface ApprovalRef {
  readonly approvalId: string;
  /** Null outside every tenant. */
  readonly tenantId: string | null;
}

/** The columns that name an approval, as an ApprovalRef. */
export function approvalRef(row: Pick<ApprovalRow, 'approval_id' | 'tenant_id'>): ApprovalRef {
  return { approvalId: row.approval_id, tenantId: row.tenant_id };
}

/** A row as the database gives it: documents are still text. */
export type StoredApprovalRow = Omit<ApprovalRow, 'request' | 'decision'> & {
  readonly request: string;
  readonly decision: string | null;
};

/** A vote as it was admitted; `recorded_at` in ms since the epoch. */
export interface Vote extends VerifiedDecision {
  readonly evidence_hash: string;
  readonly recorded_at: number;
}

/** The columns of an ApprovalRow, documents as text; for a SELECT list of table alias `p`. */
export const APPROVAL_COLUMNS = `p.approval_id, p.seq, p.action_id, p.capability_id, p.tenant_id, p.requester_id, p.subject_id, p.status,
  p.request::text AS request, p.decision::text AS decision, p.policy_hash, p.submitted_digest, p.expires_at, p.created_at, p.updated_at`;

// One approval of a tenant by its id.
const READ = `SELECT ${APPROVAL_COLUMNS} FROM runtime.approvals p WHERE p.approval_id = $1 AND p.tenant_id IS NOT DISTINCT FROM $2`;

// The admitted votes of an approval, in order.
const READ_VOTES = `
SELECT decision::text AS decision, authority::text AS authority, evidence_hash, recorded_at
FROM runtime.approval_votes WHERE approval_id = $1 AND tenant_key = COALESCE($2, '') ORDER BY position`;

/** Reads one approval, or undefined when its tenant has none of this id; `lock` keeps it from changing until the transaction ends. */
export async function readApproval(
  db: Queryable,
  { approvalId, tenantId }: ApprovalRef,
  lock?: 'FOR UPDATE',
): Promise<ApprovalRow | undefined> {
  const statement = lock
    ? { name: 'runtime.approval.lock', text: `${READ} ${lock}` }
    : { name: 'runtime.approval.read', text: READ };
  const { rows } = await db.query<StoredApprovalRow>({ ...statement, values: [approvalId, tenantId] });
  return rows[0] && decodeApproval(rows[0]);
}

/** Turns a stored row into a record. */
export function decodeApproval(row: StoredApprovalRow): ApprovalRow {
  return {
    ...row,
    request: parseJson(row.request) as ApprovalRequest,
    decision: row.decision === null ? null : (parseJson(row.decision) as ApprovalDecision),
  };
}

/** The votes of an approval, the first one first. */
export async function readVotes(db: Queryable, { approvalId, tenantId }: ApprovalRef): Promise<Vote[]> {
  const { rows } = await db.query<{
    decision: string;
    authority: string;
    evidence_hash: string;
    recorded_at: number;
  }>({ name: 'runtime.approval.votes', text: READ_VOTES, values: [approvalId, tenantId] });
  return rows.map((row) => ({
    ...row,
    decision: parseJson(row.decision) as ApprovalDecision,
    authority: parseJson(row.authority) as Vote['authority'],
  }));
}

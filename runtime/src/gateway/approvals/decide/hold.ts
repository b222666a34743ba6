import type { Queryable } from '../../../postgres/pool.js';
import {
  type ApprovalRef,
  type ApprovalRow,
  readApproval,
  readVotes,
  type Vote,
} from '../../actions/approval/record.js';
import { ACTION_COLUMNS, type StoredActionRecord } from '../../actions/record/columns.js';
import { decodeAction } from '../../actions/record/read.js';
import type { ActionRecord } from '../../actions/record/record.js';

// The action of an approval, locked before the approval itself: whoever ends an action locks in the same order.
const LOCK_ACTION = `
SELECT ${ACTION_COLUMNS} FROM runtime.actions a WHERE a.action_id = $1 AND a.approval_id = $2 AND a.tenant_id IS NOT DISTINCT FROM $3 FOR NO KEY UPDATE`;

const ADD_VOTE = `
INSERT INTO runtime.approval_votes (approval_id, tenant_key, position, decision_id, approver_id, decision, authority, evidence_hash, recorded_at)
VALUES ($1, COALESCE($9, ''), $2, $3, $4, $5::json, $6::json, $7, $8)`;

// A vote that does not end the approval shows in its time alone.
const TOUCH = `UPDATE runtime.approvals SET updated_at = $2 WHERE approval_id = $1 AND tenant_id IS NOT DISTINCT FROM $3`;

/** An approval, its votes and its action, held until the transaction ends. */
export interface HeldApproval {
  readonly approval: ApprovalRow;
  readonly votes: Vote[];
  readonly action: ActionRecord | undefined;
}

/** Locks an approval with its action; undefined when its tenant has none of this id. */
export async function holdApproval(client: Queryable, ref: ApprovalRef): Promise<HeldApproval | undefined> {
  const found = await readApproval(client, ref);
  if (!found) return undefined;
  const { rows } = await client.query<StoredActionRecord>({
    name: 'runtime.approval.lock_action',
    text: LOCK_ACTION,
    values: [found.action_id, ref.approvalId, ref.tenantId],
  });
  const approval = await readApproval(client, ref, 'FOR UPDATE');
  if (!approval) return undefined;
  return { approval, votes: await readVotes(client, ref), action: rows[0] && decodeAction(rows[0]) };
}

/** Admits a vote on a held approval. */
export async function addVote(client: Queryable, { approval, votes }: HeldApproval, vote: Vote): Promise<void> {
  const { decision, authority, evidence_hash, recorded_at } = vote;
  await client.query({
    name: 'runtime.approval.vote',
    text: ADD_VOTE,
    values: [
      approval.approval_id,
      votes.length,
      decision.decision_id,
      authority.principal_id,
      JSON.stringify(decision),
      JSON.stringify(authority),
      evidence_hash,
      recorded_at,
      approval.tenant_id,
    ],
  });
  await client.query({
    name: 'runtime.approval.touch',
    text: TOUCH,
    values: [approval.approval_id, recorded_at, approval.tenant_id],
  });
}

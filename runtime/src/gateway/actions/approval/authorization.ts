import type { Queryable } from '../../../postgres/pool.js';
import { StorageUnavailable } from '../../../protocol/errors.js';
import { leaseArray } from '../../../protocol/time.js';
import { type ApprovalRef, readApproval, readVotes } from './record.js';

/**
 * The terminal record of an approval, by which a connector host verifies that its action may run: request, decision and every vote with
 * the authority it was cast under. It is the same however often it is read. Throws StorageUnavailable.
 */
export async function approvalAuthorization(db: Queryable, ref: ApprovalRef): Promise<Record<string, unknown>> {
  const approval = await readApproval(db, ref);
  if (!approval) throw new StorageUnavailable(`the approval ${ref.approvalId} cannot be read`);
  const votes = await readVotes(db, ref);
  return {
    request: approval.request,
    status: approval.status,
    ...(approval.decision === null ? {} : { decision: approval.decision }),
    decisions: votes.map((vote) => ({ ...vote, recorded_at: leaseArray(vote.recorded_at) })),
    created_at: leaseArray(approval.created_at),
    updated_at: leaseArray(approval.updated_at),
  };
}

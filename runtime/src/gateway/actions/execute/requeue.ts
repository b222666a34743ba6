import type { Queryable } from '../../../postgres/pool.js';
import type { ProtocolError } from '../../../protocol/types.js';
import { WORK_CHANNEL } from '../record/work-channel.js';
import type { Lease } from './claim.js';

// Puts an execution back into the queue for a later attempt, while its lease is still held and nobody asked to cancel
// it. Waiting does not count as an attempt: the action has not started, and its time in the queue continues.
const REQUEUE = `
UPDATE runtime.actions SET state = 'queued', next_attempt_at = $3, last_error = $4::json, updated_at = $5, attempts = attempts - $7,
  started_at = CASE WHEN $7 < attempts THEN started_at END,
  lease_id = NULL, lease_acquired_at = NULL, lease_expires_at = NULL
WHERE action_id = $1 AND tenant_id IS NOT DISTINCT FROM $6 AND lease_id = $2 AND completed_at IS NULL AND NOT cancel_requested
RETURNING action_id`;

/**
 * Schedules the next attempt of an action at `nextAttemptAt` (ms); false when the lease is lost or a cancellation was
 * requested.
 */
export async function requeue(
  db: Queryable,
  retry: Lease & {
    nextAttemptAt: number;
    error: ProtocolError | undefined;
    nowMs: number;
    /** It waited for a host and was no attempt. */
    waited?: boolean;
  },
): Promise<boolean> {
  const changed = await db.query({
    name: 'runtime.action.requeue',
    text: REQUEUE,
    values: [
      retry.actionId,
      retry.leaseId,
      retry.nextAttemptAt,
      retry.error === undefined ? null : JSON.stringify(retry.error),
      retry.nowMs,
      retry.tenantId,
      retry.waited ? 1 : 0,
    ],
  });
  if (changed.rows.length === 0) return false;
  db.announce?.(WORK_CHANNEL);
  return true;
}

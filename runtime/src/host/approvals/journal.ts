import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { digestOf } from '../../protocol/digest.js';
import { AipError, StorageUnavailable } from '../../protocol/errors.js';

/** Keeps a record under its approval id unless one is there, and gives the digest of the one that is kept. */
const KEEP = `
INSERT INTO approvals (instance_id, approval_id, digest, record, imported_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (instance_id, approval_id) DO UPDATE SET digest = approvals.digest
RETURNING digest`;

/**
 * Imports terminal approval records: the first one under an id is kept, the same one again is fine. Throws
 * `connector_host.approval_authorization_conflict` for another one, `connector_host.approval_authorization_unavailable` when the storage fails.
 */
export function approvalJournal(pool: Pool, instanceId: string, clock: Clock) {
  return async (approvalId: string, record: unknown): Promise<void> => {
    const digest = digestOf(record);
    let kept: string | undefined;
    try {
      const { rows } = await pool.query<{ digest: string }>({
        name: 'host_keep_approval',
        text: KEEP,
        values: [instanceId, approvalId, digest, JSON.stringify(record), clock()],
      });
      kept = rows[0]?.digest;
    } catch (cause) {
      if (cause instanceof StorageUnavailable)
        throw new AipError('connector_host.approval_authorization_unavailable', undefined, { cause });
      throw cause;
    }
    if (kept !== digest) throw new AipError('connector_host.approval_authorization_conflict');
  };
}

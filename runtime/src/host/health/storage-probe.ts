import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';

/** A write that can only succeed when the schema is there and the database takes commits; one row a replica. */
const WRITE_PROBE = {
  name: 'host_write_probe',
  text: `
INSERT INTO storage_probe (replica_id, written_at) VALUES ($1, $2)
ON CONFLICT (replica_id) DO UPDATE SET written_at = excluded.written_at`,
};

/** The storage probe of a replica. */
export function storageProbe(pool: Pool, replicaId: string, clock: Clock): () => Promise<void> {
  return async () => {
    await pool.query({ ...WRITE_PROBE, values: [replicaId, clock()] });
  };
}

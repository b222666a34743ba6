import type { Pool } from '../../postgres/pool.js';

/** What a replica knows of its lease. `sequence` 0 and status none: it never had one. Times in milliseconds since the epoch. */
export interface LeaseRecord {
  status: 'none' | 'ready' | 'draining' | 'offline';
  sequence: number;
  expiresAt: number;
  /** Digest of the registration that the lease was given for. */
  registration?: string;
  /** Wire text of the last command while its outcome is unknown. */
  pending?: string;
}

/** Keeps the record over restarts, so that a new process continues with the lease of the old one. */
export interface LeaseStore {
  load(): Promise<LeaseRecord | undefined>;
  save(record: LeaseRecord): Promise<void>;
}

/** The replica's own row, read once at start. */
const LOAD = 'SELECT status, sequence, expires_at, registration, pending FROM leases WHERE replica_id = $1';

/** Written before and after every command: a few times a minute. */
const SAVE = `
INSERT INTO leases (replica_id, status, sequence, expires_at, registration, pending) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (replica_id) DO UPDATE
SET status = excluded.status, sequence = excluded.sequence, expires_at = excluded.expires_at,
    registration = excluded.registration, pending = excluded.pending`;

/** The store in the host's own schema. */
export function openLeaseStore(pool: Pool, replicaId: string): LeaseStore {
  return {
    load: async () => {
      const { rows } = await pool.query<{
        status: LeaseRecord['status'];
        sequence: number;
        expires_at: number;
        registration: string | null;
        pending: string | null;
      }>({ text: LOAD, values: [replicaId] });
      const [row] = rows;
      if (!row) return undefined;
      return {
        status: row.status,
        sequence: row.sequence,
        expiresAt: row.expires_at,
        ...(row.registration !== null && { registration: row.registration }),
        ...(row.pending !== null && { pending: row.pending }),
      };
    },
    save: async ({ status, sequence, expiresAt, registration, pending }) => {
      await pool.query({
        text: SAVE,
        values: [replicaId, status, sequence, expiresAt, registration ?? null, pending ?? null],
      });
    },
  };
}

import type { Pool } from '@aip/runtime/postgres/pool.js';

// Writes every change of a replica's lease down, with the time and the state before it.
const WATCH = `
CREATE TABLE public.lease_history (
  at bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, replica_id text, now_ms bigint,
  old_status text, old_sequence bigint, old_end bigint, new_status text, new_sequence bigint, new_end bigint);
CREATE FUNCTION public.watch_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO public.lease_history (replica_id, now_ms, old_status, old_sequence, old_end, new_status, new_sequence, new_end)
  VALUES (NEW.id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    OLD.status, OLD.health_revision, OLD.lease_expires_at, NEW.status, NEW.health_revision, NEW.lease_expires_at);
  RETURN NEW; END $$;
CREATE TRIGGER watch_lease AFTER UPDATE ON registry.replicas FOR EACH ROW
  WHEN (OLD.health_revision <> NEW.health_revision OR OLD.status <> NEW.status OR OLD.lease_expires_at <> NEW.lease_expires_at)
  EXECUTE FUNCTION public.watch_lease();`;

/** Begins to write the leases of a fleet down. */
export async function watchLeases(pool: Pool): Promise<void> {
  await pool.query(WATCH);
}

interface Change {
  replica_id: string;
  now_ms: number;
  old_status: string;
  old_sequence: number;
  old_end: number;
  new_status: string;
  new_sequence: number;
  new_end: number;
}

/**
 * What is wrong with the leases that were written down. Each lease follows the one before it by exactly one sequence, so that no sequence
 * was given to two holders; a lease that was out of use came back only by a new registration; none ran backwards while it was live.
 */
export async function leaseProblems(pool: Pool): Promise<{ changes: number; problems: string[] }> {
  const { rows } = await pool.query<Change>('SELECT * FROM public.lease_history ORDER BY at');
  const problems: string[] = [];
  const sequences = new Map<string, number>();
  for (const row of rows) {
    const known = sequences.get(row.replica_id) ?? row.old_sequence;
    const text = JSON.stringify(row);
    if (row.old_sequence !== known) problems.push(`a lease does not follow the one before it: ${text}`);
    if (row.new_sequence !== row.old_sequence + 1) problems.push(`a sequence was skipped or given twice: ${text}`);
    const live = row.old_status !== 'offline' && row.old_end > row.now_ms;
    if (live && row.new_status !== 'offline' && row.new_end < row.old_end)
      problems.push(`a lease was cut while it was live: ${text}`);
    sequences.set(row.replica_id, row.new_sequence);
  }
  return { changes: rows.length, problems };
}

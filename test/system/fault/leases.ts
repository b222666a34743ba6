import type { Pool } from '#runtime/postgres/pool.js';

// Writes every change of a replica's lease down, with the time and the state before it, and every change of hands of an action.
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
  EXECUTE FUNCTION public.watch_lease();
CREATE TABLE public.takeovers (
  at bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, action_id text, old_lease text, old_end bigint, new_lease text, new_start bigint);
CREATE FUNCTION public.watch_takeover() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO public.takeovers (action_id, old_lease, old_end, new_lease, new_start)
  VALUES (NEW.action_id, OLD.lease_id, OLD.lease_expires_at, NEW.lease_id, NEW.lease_acquired_at);
  RETURN NEW; END $$;
CREATE TRIGGER watch_takeover AFTER UPDATE OF lease_id ON runtime.actions FOR EACH ROW
  WHEN (OLD.lease_id <> NEW.lease_id) EXECUTE FUNCTION public.watch_takeover();`;

/** Begins to write down who holds replicas and actions. */
export async function watchLeases(pool: Pool): Promise<void> {
  await pool.query(WATCH);
}

/** A change of a replica's lease. Times in milliseconds since the epoch. */
export interface LeaseChange {
  readonly replica_id: string;
  readonly now_ms: number;
  readonly old_status: string;
  readonly old_sequence: number;
  readonly old_end: number;
  readonly new_status: string;
  readonly new_sequence: number;
  readonly new_end: number;
}

/** An execution that one worker took over from another, and when its own lease began. */
export interface Takeover {
  readonly action_id: string;
  readonly old_lease: string;
  readonly old_end: number;
  readonly new_lease: string;
  readonly new_start: number;
}

/** Who held what, in the order of the commits. */
export interface LeaseHistory {
  readonly changes: readonly LeaseChange[];
  readonly takeovers: readonly Takeover[];
}

/** What was written down so far. */
export async function readLeaseHistory(pool: Pool): Promise<LeaseHistory> {
  const changes = await pool.query<LeaseChange>('SELECT * FROM public.lease_history ORDER BY at');
  const takeovers = await pool.query<Takeover>('SELECT * FROM public.takeovers ORDER BY at');
  return { changes: changes.rows, takeovers: takeovers.rows };
}

/**
 * What is wrong with a history. Each lease of a replica follows the one before it by exactly one sequence, so that no sequence was given to
 * two holders, and none was cut while it was live; nobody took an action over while its former worker still held it.
 */
export function leaseProblems({ changes, takeovers }: LeaseHistory): string[] {
  const problems: string[] = [];
  const sequences = new Map<string, number>();
  for (const row of changes) {
    const known = sequences.get(row.replica_id) ?? row.old_sequence;
    const text = JSON.stringify(row);
    if (row.old_sequence !== known) problems.push(`a lease does not follow the one before it: ${text}`);
    if (row.new_sequence !== row.old_sequence + 1) problems.push(`a sequence was skipped or given twice: ${text}`);
    const live = row.old_status !== 'offline' && row.old_end > row.now_ms;
    if (live && row.new_status !== 'offline' && row.new_end < row.old_end)
      problems.push(`a lease was cut while it was live: ${text}`);
    sequences.set(row.replica_id, row.new_sequence);
  }
  for (const row of takeovers)
    if (row.old_end > row.new_start) problems.push(`an action was taken over too early: ${JSON.stringify(row)}`);
  return problems;
}

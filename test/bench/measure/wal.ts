import type { Client } from 'pg';

/** Records of one type that change one relation; of several relations of a record the first one counts. */
export interface WalRecords {
  readonly type: string;
  /** Null: none. */
  readonly relation: string | null;
  readonly records: number;
  readonly bytes: number;
  /** Records with an image of a whole page. */
  readonly images: number;
}

/** Reads the write-ahead log itself: the statistics of a session that went idle are up to 10 s late. */
export interface WalReader {
  /** What was written since the call before, or since the reader was opened. */
  next(): Promise<WalRecords[]>;
}

const READ = `
SELECT resource_manager || ' ' || record_type AS type, (regexp_match(block_ref, 'rel [0-9]+/[0-9]+/([0-9]+)'))[1] AS relation,
  count(*)::float8 AS records, sum(record_length)::float8 AS bytes, (count(*) FILTER (WHERE fpi_length > 0))::float8 AS images
FROM pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn) WHERE resource_manager <> 'LogicalMessage' GROUP BY 1, 2`;

// A record of our own, flushed with all before it: the log is read from the end of one to the end of the next, which are ends of whole records.
const MARK = `SELECT pg_logical_emit_message(false, 'bench', '', true)::text AS place`;

/** Opens a reader as the superuser `log`; PostgreSQL keeps up to 4 GiB of what it has not read yet. */
export async function openWalReader(log: Client): Promise<WalReader> {
  await log.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  await log.query(`ALTER SYSTEM SET wal_keep_size = '4GB'`);
  await log.query('SELECT pg_reload_conf()');
  let from = await placeOf(log);
  return {
    next: async () => {
      const to = await placeOf(log);
      const { rows } = await log.query<WalRecords>(READ, [from, to]);
      from = to;
      return rows;
    },
  };
}

async function placeOf(log: Client): Promise<string> {
  const { rows } = await log.query<{ place: string }>(MARK);
  return (rows[0] as { place: string }).place;
}

const RELATIONS = `
SELECT pg_relation_filenode(c.oid)::text AS relation, format('%s.%s', c.relnamespace::regnamespace, c.relname) AS name
FROM pg_class c WHERE c.relkind IN ('r', 'i', 't', 'S')`;

/** The names of the relations of the database that `db` is connected to, as WalRecords name them. */
export async function namesOfRelations(db: Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ relation: string; name: string }>(RELATIONS);
  return new Map(rows.map(({ relation, name }) => [relation, name]));
}

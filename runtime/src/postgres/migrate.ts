import { sha256Hex } from '../protocol/digest.js';
import { NamedError } from '../protocol/errors/named-error.js';
import { StorageUnavailable } from '../protocol/errors.js';
import { within } from '../time/deadline.js';
import { retry } from '../time/retry.js';
import type { Pool, Queryable } from './pool.js';

/** One numbered step of a schema; never changed once it is released. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

/** A schema that this program must not touch: it is newer, or a step that was applied has another text. */
function schemaMismatch(problem: string): NamedError {
  return new NamedError(problem, { name: 'SchemaMismatch' });
}

/** A schema whose tables another session kept locked for the whole time. */
function schemaLocked(schema: string, newest: number, cause: unknown): NamedError {
  return new NamedError(
    `the schema ${schema} cannot be brought to step ${newest}: another session holds its tables, such as a backup; start again when it has ended`,
    { name: 'SchemaLocked', cause },
  );
}

/** A step, or another process's steps, may take this long, in milliseconds. */
const STEP_MS = 600_000;
/**
 * A statement of a step waits this long for the lock of a table, in milliseconds; whoever needs the table waits behind it until then. An automatic
 * vacuum gives way after one second.
 */
const LOCK_MS = 2000;
/** After that the steps are undone and made again this much later, in milliseconds, so many times in all: ten minutes. */
const PAUSE_MS = 5000;
const ATTEMPTS = 85;

/** Where a wait of the steps is reported. */
export interface MigrationLog {
  warn(about: { schema: string }, message: string): void;
}

/** What is brought up to date, and with what. */
export interface MigrationTarget {
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** Reports once that the steps wait for another session, and once that they wait for another process that makes them; default: no report. */
  readonly log?: MigrationLog | undefined;
  /** How often steps are begun that wait for a lock; default 85, which takes ten minutes. */
  readonly attempts?: number;
}

/**
 * Brings `schema` to the newest of `migrations`, each step and its record in one transaction, under an advisory lock, so that several
 * processes may start at once. Fails when the database is newer than this program, an applied step was changed, or another session keeps a table
 * locked. Such a session, a backup for one, does not stop those that use the table: a step waits two seconds for a lock, and tries again later.
 */
export async function migrate(pool: Pool, target: MigrationTarget): Promise<number> {
  const { schema, migrations, log, attempts = ATTEMPTS } = target;
  return pool.tx(async (transaction) => {
    const client: Queryable = {
      query: (text, values) => transaction.query({ text: text as string, values: values ?? [], timeoutMs: STEP_MS }),
    };
    const alone = client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`aip migrate ${schema}`]);
    await within(LOCK_MS, alone, () => log?.warn({ schema }, 'another process changes tables: waiting for it to end'));
    await alone;
    await client.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await client.query('SAVEPOINT steps');
    const attempt = async (n: number): Promise<number> => {
      if (n === 1) log?.warn({ schema }, 'another session holds tables that change: waiting for it to end');
      try {
        return await makeSteps(client, schema, migrations);
      } catch (error) {
        // The tables are free again; the advisory lock stays, so that one process alone tries.
        if (isLockTimeout(error)) await client.query('ROLLBACK TO SAVEPOINT steps');
        throw error;
      }
    };
    try {
      return await retry(attempt, { attempts, delayMs: () => PAUSE_MS, retryable: isLockTimeout });
    } catch (error) {
      throw isLockTimeout(error) ? schemaLocked(schema, migrations.at(-1)?.id ?? 0, error) : error;
    }
  });
}

/** Whether a statement failed because it waited too long for a lock. */
function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '55P03';
}

/** Makes the steps that are missing. Gives the newest. */
async function makeSteps(client: Queryable, schema: string, migrations: readonly Migration[]): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS there', [schema]);
  // A role may own its schema without the right to make one.
  if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.migrations (id integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  const applied = await appliedSteps(client, schema);
  const newest = migrations.at(-1)?.id ?? 0;
  const ahead = [...applied.keys()].find((id) => id > newest);
  if (ahead !== undefined)
    throw schemaMismatch(`the schema ${schema} has step ${ahead}, this program knows ${newest}: start a newer release`);
  for (const step of migrations) {
    const checksum = sha256Hex(step.sql);
    const known = applied.get(step.id);
    if (known === undefined) {
      await client.query(step.sql);
      await client.query(`INSERT INTO ${schema}.migrations (id, name, checksum) VALUES ($1, $2, $3)`, [
        step.id,
        step.name,
        checksum,
      ]);
    } else if (known !== checksum) {
      throw schemaMismatch(`step ${step.id} (${step.name}) of the schema ${schema} was applied with another text`);
    }
  }
  return newest;
}

/** The newest applied step of a schema; 0 when it was never made. Throws StorageUnavailable. */
export async function schemaVersion(pool: Queryable, schema: string): Promise<number> {
  try {
    const { rows } = await pool.query<{ id: number | null }>(`SELECT max(id) AS id FROM ${schema}.migrations`);
    return rows[0]?.id ?? 0;
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    return 0;
  }
}

async function appliedSteps(client: Queryable, schema: string): Promise<Map<number, string>> {
  const { rows } = await client.query<{ id: number; checksum: string }>(
    `SELECT id, checksum FROM ${schema}.migrations ORDER BY id`,
  );
  return new Map(rows.map((row) => [row.id, row.checksum]));
}

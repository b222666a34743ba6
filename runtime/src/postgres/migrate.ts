import { sha256Hex } from '../protocol/digest.js';
import { NamedError } from '../protocol/errors/named-error.js';
import { StorageUnavailable } from '../protocol/errors.js';
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

/** A step, or another process's steps, may take this long, in milliseconds. */
const STEP_MS = 600_000;

/**
 * Brings `schema` to the newest of `migrations`, each step and its record in one transaction, under an advisory lock, so that several
 * processes may start at once. Fails when the database is newer than this program or an applied step was changed.
 */
export async function migrate(
  pool: Pool,
  target: { schema: string; migrations: readonly Migration[] },
): Promise<number> {
  const { schema, migrations } = target;
  return pool.tx(async (transaction) => {
    const client: Queryable = {
      query: (text, values) => transaction.query({ text: text as string, values: values ?? [], timeoutMs: STEP_MS }),
    };
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`aip migrate ${schema}`]);
    const { rows } = await client.query<{ there: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS there', [
      schema,
    ]);
    // A role may own its schema without the right to make one.
    if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (id integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const applied = await appliedSteps(client, schema);
    const newest = migrations.at(-1)?.id ?? 0;
    const ahead = [...applied.keys()].find((id) => id > newest);
    if (ahead !== undefined)
      throw schemaMismatch(
        `the schema ${schema} has step ${ahead}, this program knows ${newest}: start a newer release`,
      );
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
  });
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

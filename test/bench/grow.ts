import pg from 'pg';

const BATCH = 20_000;
/** Connections that add rows, each to tables of its own. */
const WRITERS = 2;
/** What makes adding rows cheap; the figures are taken without it. */
const RELAXED = { max_wal_size: '4GB', checkpoint_timeout: '30min', full_page_writes: 'off', autovacuum: 'off' };

/** The rows that one action leaves, by table: what a copy of it is made of. */
interface Template {
  readonly table: string;
  readonly where: string;
}

/**
 * Adds copies of a finished action, with all its rows in every schema, until `target` actions are there. Ids are made anew; all else stays,
 * so that rows have the sizes of real ones.
 */
export async function growTo(
  client: pg.Client,
  connectionString: string,
  actionId: string,
  target: number,
): Promise<void> {
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM runtime.actions');
  const templates = await templatesOf(client);
  const inserts: string[] = [];
  for (const template of templates) inserts.push(await insertOf(client, template));
  for (const [name, value] of Object.entries(RELAXED)) await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await client.query('SELECT pg_reload_conf()');
  const write = async (own: readonly string[]): Promise<void> => {
    const writer = new pg.Client({ connectionString });
    await writer.connect();
    try {
      await writer.query('SET synchronous_commit = off');
      for (let from = rows[0]?.count ?? 0; from < target; from += BATCH) {
        const to = Math.min(target, from + BATCH) - 1;
        for (const insert of own) await writer.query(insert, [actionId, from, to]);
      }
    } finally {
      await writer.end();
    }
  };
  await Promise.all(
    Array.from({ length: WRITERS }, (_, n) => write(inserts.filter((_insert, index) => index % WRITERS === n))),
  );
  for (const name of Object.keys(RELAXED)) await client.query(`ALTER SYSTEM RESET ${name}`);
  await client.query('SELECT pg_reload_conf()');
  await client.query('CHECKPOINT');
}

async function templatesOf(client: pg.Client): Promise<Template[]> {
  const { rows } = await client.query<{ host: string }>(
    `SELECT quote_ident(schemaname) AS host FROM pg_tables WHERE tablename = 'executions'`,
  );
  const hosts = rows.slice(0, 1).map(({ host }) => ({ table: `${host}.executions`, where: 'action_id = $1' }));
  return [
    { table: 'runtime.actions', where: 'action_id = $1' },
    { table: 'runtime.events', where: 'action_id = $1' },
    { table: 'runtime.audit', where: 'action_id = $1' },
    {
      table: 'runtime.replay_claims',
      where: 'message_id = (SELECT message_id FROM runtime.actions WHERE action_id = $1)',
    },
    { table: 'registry.assignments', where: 'action_id = $1' },
    ...hosts,
  ];
}

// The columns of a table, with whether a unique index needs the value to be one of its own. Ids are unique within a tenant, which stays.
const COLUMNS = `
SELECT quote_ident(a.attname) AS name, format_type(a.atttypid, NULL) AS type,
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey::int2[]))
    AND a.attname NOT IN ('tenant_id', 'tenant_key') AS is_unique
FROM pg_attribute a
WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = ''`;

async function insertOf(client: pg.Client, { table, where }: Template): Promise<string> {
  const { rows } = await client.query<{ name: string; type: string; is_unique: boolean }>(COLUMNS, [table]);
  const values = rows.map(({ name, type, is_unique }) => {
    const renamed = `replace(t.${name}::text, $1, 'act_' || md5(n::text))::${type}`;
    if (type.startsWith('json')) return renamed;
    if (type !== 'text') return `t.${name}`;
    if (!is_unique) return renamed;
    return `CASE WHEN strpos(t.${name}, $1) > 0 THEN ${renamed} ELSE left(t.${name}, 4) || md5(t.${name} || n) END`;
  });
  return `INSERT INTO ${table} (${rows.map(({ name }) => name).join(', ')})
    SELECT ${values.join(', ')} FROM ${table} t, generate_series($2::int, $3::int) AS n WHERE ${where}`;
}

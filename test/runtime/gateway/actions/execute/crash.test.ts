import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { actionEnvelope } from '../../support/gateway.ts';
import { type GatewayProcess, spawnGateway, startGatewayProcess } from '../../support/process.ts';

const TOKEN = 'crash';
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
let env: Record<string, string>;
let gateway: GatewayProcess | undefined;

beforeAll(async () => {
  database = await freshDatabase();
  pool = openPool({ url: database.url, max: 2 });
  env = {
    POSTGRES_URL: database.url,
    POSTGRES_MAX_CONNECTIONS: '6',
    NATIVE_BEARER_TOKEN: TOKEN,
    NATIVE_PRINCIPAL_SCOPES: '*',
    NATIVE_TENANT_ID: 'acme',
  };
  gateway = await startGatewayProcess(env);
});
afterAll(async () => {
  await gateway?.end('SIGKILL');
  await pool?.close();
  await database?.drop();
});

async function submit(url: string): Promise<string> {
  const envelope = actionEnvelope({ mode: 'async' });
  const response = await fetch(`${url}/aip/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(envelope),
  });
  const answer = (await response.json()) as { body: { ack: { status: string } } };
  expect(answer.body.ack.status).toBe('queued');
  return (envelope.body as { action: { id: string } }).action.id;
}

test('N-003 a hundred accepted actions all reach one terminal state after the gateway was killed and started again', async () => {
  const first = gateway as GatewayProcess;
  // No result can be written before the process is killed, so that every action is still under way then.
  await pool.query(
    `CREATE FUNCTION runtime.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`,
  );
  await pool.query(
    `CREATE TRIGGER no_result BEFORE UPDATE ON runtime.actions FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL)
     EXECUTE FUNCTION runtime.refuse()`,
  );
  await Promise.all(Array.from({ length: 100 }, () => submit(first.url)));
  expect((await first.end('SIGKILL')).signal).toBe('SIGKILL');
  await pool.query('DROP TRIGGER no_result ON runtime.actions');
  const open = await pool.query<{ n: number }>('SELECT count(*) AS n FROM runtime.actions WHERE completed_at IS NULL');
  expect(open.rows).toEqual([{ n: 100 }]);

  await pool.query(
    'UPDATE runtime.actions SET lease_expires_at = 0 WHERE completed_at IS NULL AND lease_id IS NOT NULL',
  );
  gateway = await startGatewayProcess(env);
  await until('all are terminal', async () => {
    const open = await pool.query('SELECT 1 FROM runtime.actions WHERE completed_at IS NULL');
    return open.rows.length === 0;
  });
  const states = await pool.query<{ state: string; n: number }>(
    'SELECT state, count(*) AS n FROM runtime.actions GROUP BY state',
  );
  expect(states.rows).toEqual([{ state: 'completed', n: 100 }]);
  const results = await pool.query<{ n: number; ids: number }>(
    `SELECT count(*) AS n, count(DISTINCT action_id) AS ids FROM runtime.events WHERE kind = 'aip.action.result'`,
  );
  expect(results.rows).toEqual([{ n: 100, ids: 100 }]);
});

test('a gateway that is asked to stop ends with 0 and leaves nothing undone that it had answered', async () => {
  const before = gateway as GatewayProcess;
  const id = await submit(before.url);
  expect(await before.end('SIGTERM')).toEqual({ code: 0, signal: null });
  gateway = await startGatewayProcess(env);
  await until('it is terminal', async () => {
    const found = await pool.query<{ state: string }>('SELECT state FROM runtime.actions WHERE action_id = $1', [id]);
    return found.rows[0]?.state === 'completed';
  });
});

test('a start that must not continue leaves one JSON line on standard error and exit code 1', async () => {
  const refused = [
    { env: {}, line: { code: 'aip.server.config', message: 'AIP_GATEWAY_POSTGRES_URL is required' } },
    { env: { ...env, BIND: 'nowhere' }, line: { code: 'aip.server.config' } },
    { env: { ...env, POSTGRES_URL: 'postgres://127.0.0.1:1/none' }, line: { code: 'aip.server.gateway' } },
  ];
  for (const each of refused) {
    const { ended, stderr } = spawnGateway(each.env);
    expect(await ended).toEqual({ code: 1, signal: null });
    const lines = stderr().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject(each.line);
  }
});

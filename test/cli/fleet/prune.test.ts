import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureHostDatabase, hostRole, retainHostDatabase } from '#controller/fleet/host-database.js';
import { hasController } from '#controller/fleet/removed-databases.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

let database: { url: string; drop: () => Promise<void> };
let pool: Pool;
const uid = `prune-${process.pid}`;
const aip = (...args: string[]) => runCli(args, { env: { AIP_REGISTRY_URL: database.url } });

beforeAll(async () => {
  database = await freshDatabase();
  pool = openPool({ url: database.url, max: 1 });
  await ensureHostDatabase(pool, { url: database.url }, uid, 'ab'.repeat(24));
  await retainHostDatabase(pool, uid);
});
afterAll(async () => {
  await pool?.close();
  await database?.drop();
});

test('aip fleet prune lists databases of removed instances, and drops them only with a confirmation', async () => {
  const role = hostRole(uid);
  const listed = await aip('fleet', 'prune', '--dry-run', '--json');
  expect(listed.json()).toMatchObject({
    removed: expect.arrayContaining([{ role, schema: true, bytes: 0 }]),
    dropped: [],
  });
  const asked = await aip('fleet', 'prune');
  expect(asked.code).toBe(2);
  expect(asked.stdout).toContain(role);
  expect((await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [role])).rowCount).toBe(1);
  expect((await aip('fleet', 'prune', '--yes')).stdout).toContain(`Dropped ${role}`);
  expect((await pool.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount).toBe(0);
  expect((await aip('fleet', 'prune', '--yes', '--json')).json()).toMatchObject({ dropped: [] });
});

test('aip fleet prune --disable-logins lets no host of the database log in, once its controller is gone, and drops nothing', async () => {
  const left = await ensureHostDatabase(pool, { url: database.url }, `${uid}-left`, 'cd'.repeat(24));
  const host = openPool({ url: left.url, max: 1 });
  const isIn = (): Promise<boolean> =>
    host.query('SELECT').then(
      () => true,
      () => false,
    );
  expect(await isIn()).toBe(true);
  const login = { role: left.role, connections: expect.any(Number) };
  expect((await aip('fleet', 'prune', '--disable-logins', '--dry-run', '--json')).json()).toEqual({
    logins: [login],
    disabled: [],
  });
  const controller = openPool({ url: database.url, max: 1, applicationName: 'aip-controller' });
  await controller.query('SELECT');
  const refused = await aip('fleet', 'prune', '--disable-logins', '--yes');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('Uninstall the release first');
  expect(await isIn()).toBe(true);
  await controller.close();
  await until('the controller is gone', async () => !(await hasController(pool)));
  expect((await aip('fleet', 'prune', '--disable-logins')).code).toBe(2);
  const done = await aip('fleet', 'prune', '--disable-logins', '--yes');
  expect(done.stdout).toContain(`${left.role} can no longer log in`);
  expect(await isIn()).toBe(false);
  expect((await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [left.role])).rowCount).toBe(1);
  // A controller that is installed again finds its instance.
  await ensureHostDatabase(pool, { url: database.url }, `${uid}-left`, 'cd'.repeat(24));
  expect(await isIn()).toBe(true);
  await host.close();
  await aip('fleet', 'prune', '--disable-logins', '--yes');
  expect((await aip('fleet', 'prune', '--yes')).stdout).toContain(`Dropped ${left.role}`);
});

test('aip doctor checks the rights of the database user that AIP_REGISTRY_URL names', async () => {
  const { findings } = (await aip('doctor', '--json')).json();
  expect(findings).toContainEqual(expect.objectContaining({ check: 'database rights', verdict: 'ok' }));
  await pool.query(
    `DO $$ BEGIN CREATE ROLE doctor_plain LOGIN PASSWORD 'plain'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  );
  const plain = new URL(database.url);
  [plain.username, plain.password] = ['doctor_plain', 'plain'];
  const run = await runCli(['doctor', '--json'], { env: { AIP_REGISTRY_URL: plain.href } });
  expect(run.code).toBe(1);
  expect(run.json().findings).toContainEqual(
    expect.objectContaining({
      check: 'database rights',
      verdict: 'fail',
      advice: expect.stringContaining('CREATEROLE'),
    }),
  );
});

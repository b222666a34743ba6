import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseLeaseArray, parseTime } from '#runtime/protocol/time.js';
import type { ConnectorHostRegistration } from '#runtime/protocol/types.js';
import { startTestbed, type Testbed, type TestbedOptions } from '../../runtime/host/support/testbed.ts';
import { SECRET, startWebhookHost } from '../../runtime/host/webhook/support/webhook-host.ts';
import { until } from '../../support/until.ts';
import { waitingFor } from './support.ts';

const P = 'AIP_CONNECTOR_HOST_';
const DAY = 86_400_000;

type Settings = Record<string, string>;
const full = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [P + name, value]));

/** A host of the connector beside this file, with these variables; `without` takes some of the testbed's away. */
async function startSetHost(
  settings: Settings | ((testbed: Testbed) => Settings | Promise<Settings>) = {},
  { without = [], ...options }: TestbedOptions & { without?: string[] } = {},
): Promise<Testbed> {
  const testbed = await startTestbed({ ...options, idle: true });
  onTestFinished(() => testbed.stop());
  const { [`${P}CONNECTOR`]: _connector, ...rest } = testbed.env;
  for (const name of Object.keys(testbed.env)) delete testbed.env[name];
  Object.assign(testbed.env, rest, {
    [`${P}CONNECTOR_MODULE`]: resolve(import.meta.dirname, 'settings-connector.ts'),
    [`${P}CONFIG`]: JSON.stringify(configOf(testbed)),
    ...full(typeof settings === 'function' ? await settings(testbed) : settings),
  });
  for (const name of without) delete testbed.env[P + name];
  if (options.idle) return testbed;
  await testbed.start();
  if (options.waitReady !== false) await testbed.ready();
  return testbed;
}
const configOf = ({ folder }: Testbed) => ({ name: 'set', silent_file: join(folder, 'silent') });
const context = (testbed: Testbed, route: Record<string, unknown> = {}) =>
  testbed.central.send({ capability_id: 'cap:settings:context' }, { route });

const CREDENTIAL = {
  CREDENTIAL_ID: 'credential:demo',
  CREDENTIAL_ISSUER: 'issuer:demo',
  CREDENTIAL_REVISION: 'revision-9',
  CREDENTIAL_SCOPES: 'read,write',
};

test('a host registers what its settings say', async () => {
  const { control } = await startSetHost({
    REGION: 'west',
    ZONE: 'b',
    CAPACITY_CLASS: 'large',
    MAX_IN_FLIGHT: '3',
    CONFIG_REVISION: '7',
    LEASE_TTL_MS: '200000',
    HEARTBEAT_MS: '90000',
    PUBLIC_ENDPOINT: 'https://host.example/aip/v1/messages',
    ARTIFACT_DIGEST: `sha256:${'ef'.repeat(32)}`,
    SECRET_PROVIDER_REF: 'vault://other',
  });
  const { request } = control.received[0] as (typeof control.received)[0];
  const proposal = request.command.payload as ConnectorHostRegistration;
  expect(proposal).toMatchObject({
    replica: {
      endpoint: 'https://host.example/aip/v1/messages',
      topology: { region: 'west', zone: 'b', capacity_class: 'large' },
      capacity: 3,
    },
    config_revision: 7,
    artifact_digest: `sha256:${'ef'.repeat(32)}`,
    secret_provider_ref: 'vault://other',
  });
  const asked = parseLeaseArray(proposal.replica.lease_expires_at) - parseTime(request.issued_at);
  expect(asked).toBeGreaterThan(190_000);
  expect(asked).toBeLessThanOrEqual(200_000);
});

test('a connector is given tenant, account and credential of the settings', async () => {
  const testbed = await startSetHost({
    ...CREDENTIAL,
    TENANT_SYSTEM: 'crm',
    EXTERNAL_ACCOUNT_ID: 'account-1',
    EXTERNAL_ACCOUNT_SYSTEM: 'chat',
  });
  const { result } = await context(testbed, {
    credential_revision_ref: 'revision-9',
    quota_policy_ref: 'quota:gold',
  });
  expect(result).toMatchObject({
    status: 'completed',
    output: {
      config: configOf(testbed),
      tenant: { id: 'tenant-a', system: 'crm' },
      externalAccount: { id: 'account-1', system: 'chat' },
      credential: { id: 'credential:demo', issuer: 'issuer:demo', scopes: ['read', 'write'], revision: 'revision-9' },
    },
  });
});

test('a host reads configuration, DIDs and database from the files of its settings', async () => {
  const testbed = await startSetHost(
    async ({ folder, control, central, ...rest }) => {
      await writeFile(
        join(folder, 'config.json'),
        JSON.stringify({ ...configOf({ folder } as Testbed), name: 'file' }),
      );
      await writeFile(join(folder, 'control'), control.key.did, { mode: 0o600 });
      await writeFile(join(folder, 'gateway'), central.key.did, { mode: 0o600 });
      await writeFile(join(folder, 'url'), rest.databaseUrl, { mode: 0o600 });
      return {
        CONFIG_FILE: join(folder, 'config.json'),
        CONTROL_DID_FILE: join(folder, 'control'),
        GATEWAY_DID_FILE: join(folder, 'gateway'),
        DATABASE_URL_FILE: join(folder, 'url'),
      };
    },
    { without: ['CONFIG', 'CONTROL_DID', 'GATEWAY_DID'] },
  );
  expect((await context(testbed)).result?.output).toMatchObject({ config: { name: 'file' } });
});

test('a body above MAX_BODY_BYTES is refused, one below is taken', async () => {
  const testbed = await startSetHost({ MAX_BODY_BYTES: '6000' });
  const send = (bytes: number) =>
    testbed.central.send({ capability_id: 'cap:settings:context', input: { text: 'x'.repeat(bytes) } });
  expect(await send(3000)).toMatchObject({ status: 200 });
  expect(await send(6000)).toMatchObject({ status: 413 });
});

test('the probe of the connector has HEALTH_TIMEOUT_MS', async () => {
  const [patient, hasty] = [
    await startSetHost({ HEALTH_TIMEOUT_MS: '30000', HEARTBEAT_MS: '10000' }),
    await startSetHost({ HEALTH_TIMEOUT_MS: '100', HEARTBEAT_MS: '10000' }),
  ];
  for (const { folder } of [patient, hasty]) await writeFile(join(folder, 'silent'), '');
  const waiting = patient.readiness();
  await until('the patient probe began', () => existsSync(join(patient.folder, 'silent.seen')));
  expect(await hasty.readiness()).toMatchObject({
    status: 503,
    body: { connector: { ready: false, detail: 'the connector did not answer in time' } },
  });
  // With one time for both the patient probe, which began first, would be over.
  await rm(join(patient.folder, 'silent'));
  expect(await waiting).toMatchObject({ status: 200, body: { connector: { ready: true } } });
});

test('the control plane has CONTROL_TIMEOUT_MS to answer', async () => {
  const silent = async (CONTROL_TIMEOUT_MS: string): Promise<Testbed> => {
    const testbed = await startSetHost({ CONTROL_TIMEOUT_MS }, { idle: true });
    testbed.control.intercept = () => new Promise(() => undefined);
    await testbed.start();
    await until('the first request arrived', () => testbed.control.received.length > 0);
    return testbed;
  };
  const patient = await silent('30000');
  const hasty = await silent('100');
  await until('the hasty host asked again', () => hasty.control.received.length > 1);
  expect(patient.control.received).toHaveLength(1);
});

test('the pool of a host grows to DATABASE_CONNECTIONS', async () => {
  const testbed = await startSetHost(async ({ folder, databaseUrl }) => {
    const url = new URL(databaseUrl);
    // The server ends a statement that waits before the host gives its connection up: it would wait on beside the pool.
    url.searchParams.set('options', '-c lock_timeout=3s');
    await writeFile(join(folder, 'url'), url.href, { mode: 0o600 });
    return { DATABASE_CONNECTIONS: '12', HEALTH_TIMEOUT_MS: '20000', DATABASE_URL_FILE: join(folder, 'url') };
  });
  const waiting = (): Promise<number> => waitingFor(testbed.pool, 'aip-connector-host');
  await testbed.pool.tx(async (client) => {
    await client.query('LOCK TABLE aip_host.outbox IN ACCESS EXCLUSIVE MODE');
    let ended = false;
    const asked = Array.from({ length: 20 }, async () => {
      while (!ended) await testbed.get('/ready').catch(() => undefined);
    });
    expect(await until('twelve statements wait', async () => (await waiting()) === 12)).toBe(true);
    ended = true;
    await client.query('COMMIT');
    await Promise.all(asked);
  });
});

test.each([
  ['relaxed', 'off'],
  ['strict', 'on'],
])('with JOURNAL_DURABILITY %s the commit of a result waits for the disk: %s', async (JOURNAL_DURABILITY, waits) => {
  const testbed = await startSetHost(async ({ folder, databaseUrl }) => {
    const url = new URL(databaseUrl);
    // The server of the tests waits for no disk; this host does.
    url.searchParams.set('options', '-c synchronous_commit=on');
    await writeFile(join(folder, 'url'), url.href, { mode: 0o600 });
    return { JOURNAL_DURABILITY, DATABASE_URL_FILE: join(folder, 'url') };
  });
  const { pool } = testbed;
  await pool.query('CREATE TABLE public.commits (waits text)');
  await pool.query(`CREATE FUNCTION public.note_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO public.commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`);
  await pool.query(`CREATE CONSTRAINT TRIGGER note_commit AFTER UPDATE ON aip_host.executions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_commit()`);
  expect((await context(testbed)).result?.status).toBe('completed');
  expect((await pool.query('SELECT DISTINCT waits FROM public.commits')).rows).toEqual([{ waits }]);
});

test('with LOG_LEVEL silent a host logs nothing, with debug every renewal', async () => {
  const debug = await startSetHost({ LOG_LEVEL: 'debug', HEARTBEAT_MS: '100' });
  await until('a renewal is logged', () => debug.host.lines().some(({ message }) => message === 'lease renewed'));
  const normal = await startSetHost({ HEARTBEAT_MS: '100' });
  await until('it renews', () => normal.control.operations().filter((each) => each === 'heartbeat').length > 2);
  expect(normal.host.lines().map(({ message }) => message)).not.toContain('lease renewed');
});

test('a previous webhook secret counts for WEBHOOK_PREVIOUS_SECRET_MS after it was first seen', async () => {
  const host = await startWebhookHost({
    idle: true,
    secrets: {
      'api-token': 'token-1',
      'webhook-secret': 'the new secret of the hook',
      'webhook-secret-previous': SECRET,
    },
  });
  onTestFinished(() => host.stop());
  for (const [ms, status] of [
    ['0', 401],
    ['3600000', 200],
  ] as const) {
    host.env[`${P}WEBHOOK_PREVIOUS_SECRET_MS`] = ms;
    await host.start();
    await host.ready();
    await until(
      'the previous secret was seen',
      async () => (await host.deliver({ event: 'webwidget_triggered' }, { secret: SECRET })).status === status,
    );
    host.host.child.kill('SIGKILL');
    await host.host.exit;
  }
  expect((await host.pool.query('SELECT 1 FROM aip_host.connector_state')).rowCount).toBeGreaterThan(0);
});

test('a host removes what is over its time when it starts', async () => {
  const testbed = await startSetHost();
  const { pool } = testbed;
  testbed.host.child.kill('SIGKILL');
  await testbed.host.exit;
  const now = Date.now();
  const instance = testbed.env[`${P}INSTANCE_ID`];
  await pool.query(`INSERT INTO aip_host.replay_claims VALUES ('msg_old', 's', $1), ('msg_fresh', 's', $2)`, [
    now - 1000,
    now + 600_000,
  ]);
  await pool.query(
    `INSERT INTO aip_host.executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at)
     VALUES ($1, 'act_old', 'r', 'c', 'd', 'finished', $2), ($1, 'act_open', 'r', 'c', 'd', 'started', $2), ($1, 'act_new', 'r', 'c', 'd', 'finished', $3)`,
    [instance, now - 8 * DAY, now - 6 * DAY],
  );
  await pool.query(
    `INSERT INTO aip_host.outbox (instance_id, key, channel_id, events, created_at, next_attempt_at, parked_at)
     VALUES ($1, 'old', 'c', '[]', 0, 0, $2), ($1, 'new', 'c', '[]', 0, 0, $3)`,
    [instance, now - 31 * DAY, now - 29 * DAY],
  );
  await pool.query(
    `INSERT INTO aip_host.events (instance_id, event_id, event, appended_at) VALUES ($1, 'old', '{}', $2), ($1, 'new', '{}', $3)`,
    [instance, now - 31 * DAY, now - 29 * DAY],
  );
  const left = async () => {
    const { rows } = await pool.query<{ id: string }>(`
      SELECT message_id AS id FROM aip_host.replay_claims UNION ALL SELECT action_id FROM aip_host.executions
      UNION ALL SELECT 'outbox ' || key FROM aip_host.outbox UNION ALL SELECT 'event ' || event_id FROM aip_host.events`);
    return rows.map(({ id }) => id).sort();
  };
  expect(await left()).toHaveLength(9);
  await testbed.start();
  await until('the last step removed its rows', async () => !(await left()).includes('outbox old'));
  expect(await left()).toEqual(['act_new', 'act_open', 'event new', 'msg_fresh', 'outbox new']);
});

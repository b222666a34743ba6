import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '@aip/controller/local/ports.js';
import { openPool, type Pool } from '@aip/runtime/postgres/pool.js';
import { decodeEnvelope, verifyEnvelope } from '@aip/runtime/protocol/envelope.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import type { ActionResult } from '@aip/runtime/protocol/types.js';
import { openRegistry, type Registry } from '@aip/runtime/registry/registry.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TENANT, TRUST_DOMAIN } from '../host/support/central.ts';
import { provision } from '../host/support/provision.ts';
import { type Rig, startRig } from '../host/support/rig.ts';
import { clientOf, type TestClient } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import type { DevReady } from '../support/dev.ts';
import { CONFIG_MAP_MODE, mountVersion, SECRET_MODE } from '../support/mounted.ts';
import { lineOf, type RunningProgram, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const HOST = 'AIP_CONNECTOR_HOST_';
const TOKEN = 'the token of the load';
const GATEWAY_ID = 'service:central';
const LEASE_TTL_MS = 3000;

interface Key extends SigningKey {
  readonly seed: string;
}
function newKey(): Key {
  const seed = newSeedHex();
  return { seed, ...signingKeyFromSeed(seed) };
}

let rig: Rig;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
let registry: Registry;
let gateway: RunningProgram;
let control: RunningProgram;
let client: TestClient;
let gatewayUrl: string;
let controlSeedFile: string;
/** The DIDs that everybody trusts now, the active key first. */
const trusted: { gateway: Key[]; control: Key[] } = { gateway: [newKey()], control: [newKey()] };

const mounted = (name: string): string => join(rig.folder, 'mounted', name);
const imported = (name: string): string => join(rig.folder, 'run', name);
const lines = (keys: Key[]): string => keys.map(({ did }) => `${did}\n`).join('');
/** Replaces the Secret with the gateway's seed. */
const mountSeed = ({ seed }: Key): Promise<void> => mountVersion(mounted('gateway'), { seed }, SECRET_MODE);

const publish = (): Promise<void> =>
  mountVersion(
    mounted('trust'),
    { 'gateway-dids': lines(trusted.gateway), 'control-plane-dids': lines(trusted.control) },
    CONFIG_MAP_MODE,
  );
/** How often a program has read a setting again. */
const readings = (program: Pick<RunningProgram, 'lines'>, setting: string): number =>
  program.lines().filter((line) => line.setting === setting && line.level === 'info').length;

/** Publishes the DIDs of one service, the active one first, and waits until everybody who needs them has read them. */
async function trust(role: 'gateway' | 'control', keys: Key[]): Promise<void> {
  const read = (): number[] =>
    role === 'gateway'
      ? [readings(rig.host, 'gateway DIDs'), readings(gateway, 'own DIDs')]
      : [readings(rig.host, 'control plane DIDs')];
  const before = read();
  trusted[role] = keys;
  await publish();
  await until('the DIDs were read', () => read().every((count, index) => count > (before[index] as number)));
}

/** The DID that signs the gateway's answers now. */
async function gatewaySigner(): Promise<string> {
  const { body } = await client.submit({ capability_id: 'cap:demo:echo', input: {} });
  return verifyEnvelope(decodeEnvelope(body));
}

/** Replaces the seed of the control plane at once. */
async function writeSeed({ seed }: Key): Promise<void> {
  await writeFile(`${controlSeedFile}.new`, seed, { mode: 0o600 });
  await rename(`${controlSeedFile}.new`, controlSeedFile);
}

beforeAll(async () => {
  rig = await startRig({ idle: true });
  database = await freshDatabase();
  pool = openPool({ url: database.url, max: 4 });
  registry = openRegistry({ data: pool, clock: Date.now, allowLoopbackHttp: true });
  await registry.migrate();
  await mountSeed(trusted.gateway[0] as Key);
  await publish();
  const [gatewayPort = 0, controlPort = 0, hostPort = 0] = await freePorts(3);
  gatewayUrl = `http://127.0.0.1:${gatewayPort}`;
  controlSeedFile = join(rig.folder, 'control-seed');
  await writeSeed(trusted.control[0] as Key);
  control = startProgram('controller', ['control-plane'], {
    AIP_CONNECTOR_CONTROL_BIND: `127.0.0.1:${controlPort}`,
    AIP_CONNECTOR_CONTROL_DATABASE_URL: database.url,
    AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: controlSeedFile,
    AIP_CONNECTOR_CONTROL_LEASE_TTL_MS: String(LEASE_TTL_MS),
  });
  const gatewayEnv = {
    BIND: `127.0.0.1:${gatewayPort}`,
    SERVICE_ID: GATEWAY_ID,
    TRUST_DOMAIN,
    POSTGRES_URL: database.url,
    NATIVE_BEARER_TOKEN: TOKEN,
    NATIVE_PRINCIPAL_SCOPES: '*',
    NATIVE_TENANT_ID: TENANT,
    CONNECTOR_REGISTRY_URL: database.url,
    CONNECTOR_FLEET_SIGNING_SEED_FILE: join(imported('gateway'), 'seed'),
    CONNECTOR_FLEET_OWN_DIDS_FILE: join(mounted('trust'), 'gateway-dids'),
    CONNECTOR_FLEET_CALLBACK_URL: `${gatewayUrl}/aip/v1/connector-callbacks`,
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    CONNECTOR_FLEET_ALLOW_HTTP: 'true',
    CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'true',
  };
  gateway = startProgram('runtime', ['gateway'], {
    AIP_IMPORT_SECRETS: `${mounted('gateway')}:${imported('gateway')}`,
    ...Object.fromEntries(Object.entries(gatewayEnv).map(([name, value]) => [`AIP_GATEWAY_${name}`, value])),
  });
  delete rig.env[`${HOST}CONTROL_DID`];
  delete rig.env[`${HOST}GATEWAY_DID`];
  const hostEnv = {
    BIND: `127.0.0.1:${hostPort}`,
    PUBLIC_ENDPOINT: `http://127.0.0.1:${hostPort}/aip/v1/messages`,
    CONTROL_ENDPOINT: `http://127.0.0.1:${controlPort}/aip/v1/connector-control`,
    CONTROL_DIDS_FILE: join(mounted('trust'), 'control-plane-dids'),
    GATEWAY_DIDS_FILE: join(mounted('trust'), 'gateway-dids'),
    CALLBACK_ENDPOINT: `${gatewayUrl}/aip/v1/connector-callbacks`,
    EVENT_ENDPOINT: `${gatewayUrl}/aip/v1/connector-events`,
    LEASE_TTL_MS: String(LEASE_TTL_MS),
    MAX_IN_FLIGHT: '16',
  };
  for (const [name, value] of Object.entries(hostEnv)) rig.env[HOST + name] = value;
  const { capabilities = [] } = await provision(registry, rig);
  const instanceId = rig.env[`${HOST}INSTANCE_ID`] as string;
  for (const { id } of capabilities)
    await registry.bindings.put({ tenantId: TENANT, capabilityId: id, instanceId, priority: 0, enabled: true });
  await lineOf(control, 'the control plane listens', ({ bind }) => bind !== undefined);
  await until('the gateway is ready', async () => (await fetch(`${gatewayUrl}/ready`)).ok);
  client = clientOf({ ready: { gateway_url: gatewayUrl } as DevReady, token: TOKEN });
  await rig.start();
  await rig.ready();
});
afterAll(async () => {
  await gateway?.end();
  await control?.end();
  await rig?.stop();
  await pool?.close();
  await database?.drop();
});

const resultOf = (body: unknown): ActionResult | undefined =>
  (body as { body?: { action_result?: ActionResult } }).body?.action_result;

/** Actions one after the other in three lanes, plain and streaming ones, and looks at the host's readiness, until it is stopped. */
function startLoad(): { stop: () => Promise<{ done: number; failed: unknown[]; unready: number }> } {
  let running = true;
  let done = 0;
  let unready = 0;
  const failed: unknown[] = [];
  const run = async (action: Parameters<TestClient['submit']>[0]): Promise<void> => {
    const { status, body } = await client.submit(action);
    if (status === 200 && resultOf(body)?.status === 'completed') done += 1;
    else failed.push(body);
  };
  const lane = async (action: Parameters<TestClient['submit']>[0]): Promise<void> => {
    while (running) await run(action);
  };
  const watch = async (): Promise<void> => {
    while (running) if ((await rig.get('/ready')).status !== 200) unready += 1;
  };
  const all = [
    lane({ capability_id: 'cap:demo:echo', input: { text: 'one' } }),
    lane({ capability_id: 'cap:demo:echo', mode: 'sync', input: { text: 'two' } }),
    lane({ capability_id: 'cap:demo:count', mode: 'streaming', input: { n: 4, interval_ms: 10 } }),
    watch(),
  ];
  return {
    stop: async () => {
      running = false;
      await Promise.all(all);
      return { done, failed, unready };
    },
  };
}

/** Leases that were not renewed or had to be won back. */
const lapses = async (): Promise<number[]> => {
  const metrics = await rig.metrics();
  return [metrics.heartbeat_failures_total as number, metrics.lease_recovery_attempts_total as number];
};
/** Sends work to the host itself, signed by a key. */
const sendAs = (key: Key) =>
  rig.central.send({ capability_id: 'cap:demo:echo', input: {} }, { key, route: { tenant_id: TENANT } });

test('F-144 the gateway’s key is replaced under load: no action fails, also none that runs across it, and no lease lapses', async () => {
  const [old, next] = [trusted.gateway[0] as Key, newKey()];
  const load = startLoad();
  await trust('gateway', [old, next]);
  expect(await gatewaySigner()).toBe(old.did);
  // Longer than one exchange of 5 seconds: the gateway asks for it again, under its next key.
  const across = client.submit({
    capability_id: 'cap:demo:count',
    mode: 'streaming',
    input: { n: 60, interval_ms: 100 },
  });
  const event = {
    id: `evt_${old.did.slice(-12)}`,
    kind: 'demo.note',
    occurred_at: '2026-01-02T03:04:05Z',
    data: { n: 1 },
  };
  await mountSeed(next);
  await until('the gateway signs with its next key', async () => (await gatewaySigner()) === next.did);
  await client.submit({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  await trust('gateway', [next, old]);
  const { id, status, body } = await across;
  expect([status, resultOf(body)?.status]).toEqual([200, 'completed']);
  const chunks = (await client.get(`/aip/v1/actions/${id}/chunks`)).body as { chunks: unknown[] };
  expect(chunks.chunks).toHaveLength(61);
  await until('the event is in the log', async () => {
    const page = (await client.get('/aip/v1/events?kind=demo.note')).body as { events: { id: string }[] };
    return page.events.some((each) => each.id === event.id);
  });
  expect((await sendAs(old)).status).toBe(200);
  await trust('gateway', [next]);
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await lapses()).toEqual([0, 0]);
  expect(await sendAs(old)).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  expect((await sendAs(next)).status).toBe(200);
});

test('F-193 the control plane’s key is replaced under load: no lease lapses and no action fails; the old key grants nothing more', async () => {
  const [old, next] = [trusted.control[0] as Key, newKey()];
  const replicaId = rig.env[`${HOST}REPLICA_ID`] as string;
  const sequence = async (): Promise<number> => (await registry.replicas.get(replicaId))?.healthRevision ?? 0;
  const renewed = async (): Promise<void> => {
    const before = await sequence();
    await until('the lease was renewed twice', async () => (await sequence()) > before + 1);
  };
  const load = startLoad();
  await trust('control', [old, next]);
  await renewed();
  await writeSeed(next);
  await until('the control plane has its next key', () => readings(control, 'signing key') === 1);
  await renewed();
  await trust('control', [next]);
  await renewed();
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await lapses()).toEqual([0, 0]);
  await writeSeed(old);
  await until('a lease of the old key was refused', async () => ((await lapses())[0] as number) > 0);
  expect(
    rig.host.lines().find(({ reason }) => reason === 'the answer is not of the trusted control plane'),
  ).toMatchObject({
    code: 'connector_control.unavailable',
  });
  await writeSeed(next);
  await rig.ready();
  await renewed();
});

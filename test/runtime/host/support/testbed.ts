import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { digestOf } from '#runtime/protocol/digest.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Manifest, Principal } from '#runtime/protocol/types.js';
import { emptyDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { type Central, openCentral, TENANT, TRUST_DOMAIN } from './central.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { end, type HostProcess, startHost } from './host-process.ts';
import { type Ingress, startIngress } from './ingress.ts';

/** Everything around one host: its database, its key, a control plane, an ingress and a central server that signs. */
export interface Testbed {
  host: HostProcess;
  readonly key: SigningKey;
  readonly control: ControlPlane;
  readonly ingress: Ingress;
  readonly central: Central;
  readonly folder: string;
  readonly databaseUrl: string;
  /** The host's own tables. */
  readonly pool: Pool;
  /** Variables of the host; changes count from the next start. */
  readonly env: Record<string, string>;
  manifest(): Manifest;
  /** Starts the process (again) and waits until it listens. */
  start(): Promise<HostProcess>;
  /** Kills the host and starts it again; the lease is its own and is resumed. */
  crash(): Promise<void>;
  /** Waits until GET /ready is 200. */
  ready(): Promise<void>;
  readiness(): Promise<{ status: number; body: ReadyBody }>;
  metrics(): Promise<Record<string, number>>;
  get(path: string): Promise<Response>;
  stop(): Promise<void>;
}

export interface ReadyBody {
  status: string;
  lease_valid: boolean;
  draining: boolean;
  runtime: {
    durability: string;
    ready: boolean;
    detail: string;
    recovery: Record<string, unknown>;
    outbox?: { pending: number; parked: number };
  };
  connector: { ready: boolean; detail: string };
}

export interface TestbedOptions {
  /** Variables of the host, by their full names. */
  env?: Record<string, string>;
  ttlMs?: number;
  /** Id of the agent of the connector's manifest; default that of the demo connector. */
  agentId?: string;
  /** Starts only what a host needs around it. */
  idle?: boolean;
  /** Waits until the host is ready; default true. */
  waitReady?: boolean;
}

const P = 'AIP_CONNECTOR_HOST_';
const SUFFIX = '018f3c0e6b7a7c1d9e2f001122330a01';

/** Starts a host with everything it needs. Capacity 4, heartbeat 300 ms unless the options say otherwise. */
export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-host-'));
  const database = await emptyDatabase();
  const seed = newSeedHex();
  const key = signingKeyFromSeed(seed);
  const control = await startControlPlane(key.did, options.ttlMs ?? 30_000);
  const centralKey = signingKeyFromSeed(newSeedHex());
  const ingress = await startIngress(centralKey);
  await writeFile(join(folder, 'seed'), `${seed}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'database'), `${database.url}\n`, { mode: 0o600 });

  const hostPrincipal: Principal = {
    id: options.agentId ?? 'agent:demo:test',
    kind: 'agent',
    display_name: 'Demo connector',
    trust_domain: TRUST_DOMAIN,
    did: key.did,
  };
  let manifest: Manifest | undefined;
  const coordinates = {
    instance_id: `cinst_${SUFFIX}`,
    replica_id: `crepl_${SUFFIX}`,
    version_id: `cver_${SUFFIX}`,
  };
  const central = openCentral({
    url: () => testbed.host.url,
    hostPrincipal,
    coordinates: () => ({ ...coordinates, manifest_digest: digestOf(manifest) }),
    callbackUrl: ingress.callbackUrl,
    key: centralKey,
  });
  const env = { ...variablesOf({ control, central, ingress, coordinates, folder }), ...options.env };
  const pool = openPool({ url: database.url, max: 2 });
  const get = (path: string) => fetch(testbed.host.url + path);

  const testbed: Testbed = {
    host: undefined as unknown as HostProcess,
    key,
    control,
    ingress,
    central,
    folder,
    databaseUrl: database.url,
    pool,
    env,
    manifest: () => manifest as Manifest,
    start: async () => {
      testbed.host = await startHost(env);
      manifest = (await (await get('/aip/v1/manifest')).json()) as Manifest;
      return testbed.host;
    },
    ready: async () => {
      await until('the host is ready', async () => (await get('/ready')).status === 200);
    },
    readiness: async () => {
      const response = await get('/ready');
      return { status: response.status, body: (await response.json()) as ReadyBody };
    },
    metrics: async () => {
      const text = await (await get('/metrics')).text();
      return Object.fromEntries(
        [...text.matchAll(/^aip_connector_host_(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
      );
    },
    get,
    crash: async () => {
      await end(testbed.host, 'SIGKILL');
      await testbed.start();
      await testbed.ready();
    },
    stop: async () => {
      await end(testbed.host);
      await pool.close();
      await control.close();
      await ingress.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (!options.idle) {
    await testbed.start();
    if (options.waitReady !== false) await testbed.ready();
  }
  return testbed;
}

/** The variables of a host beside those servers, by their full names. */
function variablesOf({
  control,
  central,
  ingress,
  coordinates,
  folder,
}: Pick<Testbed, 'control' | 'central' | 'ingress' | 'folder'> & {
  coordinates: Readonly<Record<'instance_id' | 'replica_id' | 'version_id', string>>;
}): Record<string, string> {
  const values = {
    BIND: '127.0.0.1:0',
    PUBLIC_ENDPOINT: 'http://127.0.0.1:9/aip/v1/messages',
    CONTROL_ENDPOINT: control.url,
    CONTROL_DID: control.key.did,
    GATEWAY_DID: central.key.did,
    GATEWAY_PRINCIPAL_ID: 'service:central',
    DATABASE_URL_FILE: join(folder, 'database'),
    SIGNING_SEED_FILE: join(folder, 'seed'),
    TYPE_ID: `ctype_${SUFFIX}`,
    VERSION_ID: coordinates.version_id,
    INSTANCE_ID: coordinates.instance_id,
    REPLICA_ID: coordinates.replica_id,
    TENANT_ID: TENANT,
    TRUST_DOMAIN,
    ARTIFACT_DIGEST: `sha256:${'cd'.repeat(32)}`,
    SECRET_PROVIDER_REF: 'vault://tenant-a/demo',
    CALLBACK_ENDPOINT: ingress.callbackUrl,
    CALLBACK_ALLOW_HTTP: 'true',
    CALLBACK_ALLOW_PRIVATE: 'true',
    EVENT_ENDPOINT: ingress.eventUrl,
    EVENT_ALLOW_HTTP: 'true',
    EVENT_ALLOW_PRIVATE: 'true',
    ALLOW_LOOPBACK_HTTP: 'true',
    MAX_IN_FLIGHT: '4',
    HEARTBEAT_MS: '300',
    DRAIN_TIMEOUT_MS: '5000',
    CONNECTOR: 'demo',
    CONFIG: JSON.stringify({ name: 'test', unhealthy_file: join(folder, 'unhealthy') }),
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [P + name, value]));
}

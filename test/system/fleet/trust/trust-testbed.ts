import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '#controller/local/process/ports.js';
import { type IssuedCertificate, issueLeaf } from '#controller/trust/certificates/ca.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { ActionResult } from '#runtime/protocol/types.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import { TENANT, TRUST_DOMAIN } from '../../../runtime/host/support/central.ts';
import { provision } from '../../../runtime/host/support/provision.ts';
import { startTestbed, type Testbed } from '../../../runtime/host/support/testbed.ts';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { freshDatabase } from '../../../support/database.ts';
import type { DevReady } from '../../../support/dev.ts';
import { CONFIG_MAP_MODE, mountVersion, SECRET_MODE } from '../../../support/mounted.ts';
import { lineOf, type RunningProgram, startProgram } from '../../../support/program.ts';
import { until } from '../../../support/until.ts';

const HOST = 'AIP_CONNECTOR_HOST_';
const TOKEN = 'the token of the load';
const LEASE_TTL_MS = 30_000;
const HEARTBEAT_MS = 1000;

/** A signing key with the seed that a Secret holds of it. */
export interface Key extends SigningKey {
  readonly seed: string;
}

export function newKey(): Key {
  const seed = newSeedHex();
  return { seed, ...signingKeyFromSeed(seed) };
}

/** The services that serve TLS. */
export const SERVERS = ['gateway', 'control', 'host'] as const;
export type Server = (typeof SERVERS)[number];

/**
 * A gateway, a control plane and one host as processes of their own, with Secrets and ConfigMaps mounted as the kubelet does. A lease lasts
 * 10 seconds and is renewed every second.
 */
export interface TrustTestbed {
  readonly testbed: Testbed;
  readonly registry: Registry;
  readonly client: TestClient;
  readonly gateway: RunningProgram;
  readonly control: RunningProgram;
  /** The keys at the start. */
  readonly keys: Readonly<Record<'gateway' | 'control', Key>>;
  readonly urls: Readonly<Record<Server, string>>;
  /** Publishes the DIDs of one service, the active one first, and waits until everybody who needs them has read them. */
  trust(role: 'gateway' | 'control', keys: readonly Key[]): Promise<void>;
  /** Publishes the bundle of trusted authorities and waits until gateway and host have read it. */
  trustAuthorities(...authorities: IssuedCertificate[]): Promise<void>;
  /** Replaces the seed of a service. */
  setKey(role: 'gateway' | 'control', key: Key): Promise<void>;
  /** Gives a service a new leaf of the authority and waits until it serves it. */
  issue(server: Server, authority: IssuedCertificate): Promise<void>;
  /** Times the lease was not renewed, and times it had to be won back. */
  lapses(): Promise<number[]>;
  /** Waits until the lease was renewed twice more. */
  renewed(): Promise<void>;
  startLoad(): Load;
  stop(): Promise<void>;
}

/** Actions under way all the time. */
export interface Load {
  /** Ends it; says how many completed, the answers of all others, and how often the host was seen not ready. */
  stop(): Promise<{ done: number; failed: unknown[]; unready: number }>;
}

/** Starts the testbed; with an authority everything speaks TLS by leaves of it. */
export async function startTrustTestbed(authority?: IssuedCertificate): Promise<TrustTestbed> {
  const testbed = await startTestbed({ idle: true });
  const database = await freshDatabase();
  const pool = openPool({ url: database.url, max: 4 });
  const registry = openRegistry({ data: pool, clock: Date.now, allowLoopbackHttp: true });
  await registry.migrate();
  const keys = { gateway: newKey(), control: newKey() };
  const files = await mountFiles(testbed.folder, keys, authority);

  const [gatewayPort = 0, controlPort = 0, hostPort = 0] = await freePorts(3);
  const ports = { gateway: gatewayPort, control: controlPort, host: hostPort };
  const origin = (server: Server): string => `http${authority ? 's' : ''}://127.0.0.1:${ports[server]}`;
  const urls = { gateway: origin('gateway'), control: origin('control'), host: origin('host') };
  const setup: Setup = { files, ports, urls, databaseUrl: database.url, secured: authority !== undefined };
  const control = startProgram('controller', ['control-plane'], controlSettings(setup));
  const gateway = startProgram('runtime', ['gateway'], gatewaySettings(setup));
  for (const name of ['CONTROL_DID', 'GATEWAY_DID', 'CALLBACK_ALLOW_HTTP', 'EVENT_ALLOW_HTTP'])
    delete testbed.env[HOST + name];
  Object.assign(testbed.env, hostSettings(setup));
  const { capabilities = [] } = await provision(registry, testbed);
  const instanceId = testbed.env[`${HOST}INSTANCE_ID`] as string;
  for (const { id } of capabilities)
    await registry.bindings.put({ tenantId: TENANT, capabilityId: id, instanceId, priority: 0, enabled: true });
  await lineOf(control, 'the control plane listens', ({ bind }) => bind !== undefined);
  await until('the gateway is ready', async () => (await fetch(`${urls.gateway}/ready`)).ok);
  await testbed.start();
  await testbed.ready();
  const client = clientOf({ ready: { gateway_url: urls.gateway } as DevReady, token: TOKEN });

  return {
    testbed,
    registry,
    client,
    gateway,
    control,
    keys,
    urls,
    ...changesOf(files, { gateway, control, host: { lines: () => testbed.host.lines() } }),
    lapses: async () => {
      const metrics = await testbed.metrics();
      return [metrics.heartbeat_failures_total as number, metrics.lease_recovery_attempts_total as number];
    },
    renewed: async () => {
      const sequence = async (): Promise<number> =>
        (await registry.replicas.get(testbed.env[`${HOST}REPLICA_ID`] as string))?.healthRevision ?? 0;
      const before = await sequence();
      await until('the lease was renewed twice', async () => (await sequence()) > before + 1);
    },
    startLoad: () => startLoad(client, async () => (await testbed.get('/ready')).status === 200),
    stop: async () => {
      await gateway.end();
      await control.end();
      await testbed.stop();
      await pool.close();
      await database.drop();
    },
  };
}

/** The Secrets and the ConfigMap of the testbed, as the kubelet mounts them. */
interface MountedFiles {
  /** What the ConfigMap publishes; `publish` writes it. */
  readonly published: { gateway: readonly Key[]; control: readonly Key[]; authorities: readonly IssuedCertificate[] };
  /** The contents of the Secrets; `putSecrets` writes them. */
  readonly secrets: Readonly<Record<Server, Record<string, string>>>;
  /** The folder of a Secret, or of the ConfigMap `trust`. */
  mounted(name: string): string;
  /** A file of a process's own copy of its Secret. */
  own(server: Server, file: string): string;
  /** What a process imports into its own copy. */
  imported(server: Server): string;
  publish(): Promise<void>;
  putSecrets(server: Server): Promise<void>;
  /** Puts a new leaf of the authority into the contents of a Secret. */
  newLeaf(server: Server, ca: IssuedCertificate): Promise<void>;
}

/** Writes what the programs find at their start. */
async function mountFiles(
  folder: string,
  keys: TrustTestbed['keys'],
  authority: IssuedCertificate | undefined,
): Promise<MountedFiles> {
  const published: MountedFiles['published'] = {
    gateway: [keys.gateway],
    control: [keys.control],
    authorities: authority ? [authority] : [],
  };
  const secrets: Record<Server, Record<string, string>> = {
    gateway: { seed: keys.gateway.seed },
    control: { seed: keys.control.seed },
    host: {},
  };
  const mounted = (name: string): string => join(folder, 'mounted', name);
  const files: MountedFiles = {
    published,
    secrets,
    mounted,
    own: (server, file) => join(folder, 'run', server, file),
    imported: (server) => `${mounted(server)}:${join(folder, 'run', server)}`,
    publish: () => {
      const lines = (all: readonly Key[]): string => all.map(({ did }) => `${did}\n`).join('');
      const bundle = published.authorities.map(({ certPem }) => certPem).join('');
      const dids = { 'gateway-dids': lines(published.gateway), 'control-plane-dids': lines(published.control) };
      return mountVersion(mounted('trust'), { ...dids, ...(bundle && { 'ca.crt': bundle }) }, CONFIG_MAP_MODE);
    },
    // The control plane imports nothing: its files are replaced as a controller's own would be.
    putSecrets: async (server) => {
      if (server !== 'control') return mountVersion(mounted(server), secrets[server], SECRET_MODE);
      await mkdir(mounted('control'), { recursive: true });
      for (const [name, text] of Object.entries(secrets.control)) {
        const file = join(mounted('control'), name);
        await writeFile(`${file}.new`, text, { mode: 0o600 });
        await rename(`${file}.new`, file);
      }
    },
    newLeaf: async (server, ca) => {
      const leaf = await issueLeaf(ca, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], now: Date.now() });
      Object.assign(secrets[server], { 'tls.crt': leaf.certPem, 'tls.key': leaf.keyPem });
    },
  };
  for (const server of SERVERS) {
    if (authority) await files.newLeaf(server, authority);
    await files.putSecrets(server);
  }
  await files.publish();
  return files;
}

/** What the settings of the programs are made of. */
interface Setup {
  readonly files: MountedFiles;
  readonly ports: Readonly<Record<Server, number>>;
  readonly urls: Readonly<Record<Server, string>>;
  readonly databaseUrl: string;
  /** Whether everything speaks TLS. */
  readonly secured: boolean;
}

type Settings = Record<string, string>;

const tlsSettings = ({ secured }: Setup, file: (name: string) => string): Settings =>
  secured ? { TLS_CERT_FILE: file('tls.crt'), TLS_KEY_FILE: file('tls.key') } : {};

function controlSettings(setup: Setup): Settings {
  const file = (name: string): string => join(setup.files.mounted('control'), name);
  return prefixed('AIP_CONNECTOR_CONTROL_', {
    BIND: `127.0.0.1:${setup.ports.control}`,
    DATABASE_URL: setup.databaseUrl,
    SIGNING_SEED_FILE: file('seed'),
    LEASE_TTL_MS: String(LEASE_TTL_MS),
    ...tlsSettings(setup, file),
  });
}

function gatewaySettings(setup: Setup): Settings {
  const { files, ports, urls, databaseUrl, secured } = setup;
  return {
    AIP_IMPORT_SECRETS: files.imported('gateway'),
    ...prefixed('AIP_GATEWAY_', {
      BIND: `127.0.0.1:${ports.gateway}`,
      SERVICE_ID: 'service:central',
      TRUST_DOMAIN,
      POSTGRES_URL: databaseUrl,
      NATIVE_BEARER_TOKEN: TOKEN,
      NATIVE_PRINCIPAL_SCOPES: '*',
      NATIVE_TENANT_ID: TENANT,
      CONNECTOR_REGISTRY_URL: databaseUrl,
      CONNECTOR_FLEET_SIGNING_SEED_FILE: files.own('gateway', 'seed'),
      CONNECTOR_FLEET_OWN_DIDS_FILE: join(files.mounted('trust'), 'gateway-dids'),
      CONNECTOR_FLEET_CALLBACK_URL: `${urls.gateway}/aip/v1/connector-callbacks`,
      CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      CONNECTOR_FLEET_ALLOW_HTTP: String(!secured),
      CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'true',
      ...(secured && { CONNECTOR_FLEET_TLS_CA_FILE: join(files.mounted('trust'), 'ca.crt') }),
      ...tlsSettings(setup, (name) => files.own('gateway', name)),
    }),
  };
}

function hostSettings(setup: Setup): Settings {
  const { files, ports, urls, secured } = setup;
  return {
    AIP_IMPORT_SECRETS: files.imported('host'),
    ...prefixed(HOST, {
      BIND: `127.0.0.1:${ports.host}`,
      PUBLIC_ENDPOINT: `${urls.host}/aip/v1/messages`,
      CONTROL_ENDPOINT: `${urls.control}/aip/v1/connector-control`,
      CONTROL_DIDS_FILE: join(files.mounted('trust'), 'control-plane-dids'),
      GATEWAY_DIDS_FILE: join(files.mounted('trust'), 'gateway-dids'),
      CALLBACK_ENDPOINT: `${urls.gateway}/aip/v1/connector-callbacks`,
      EVENT_ENDPOINT: `${urls.gateway}/aip/v1/connector-events`,
      ...(secured ? {} : { CALLBACK_ALLOW_HTTP: 'true', EVENT_ALLOW_HTTP: 'true' }),
      LEASE_TTL_MS: String(LEASE_TTL_MS),
      HEARTBEAT_MS: String(HEARTBEAT_MS),
      MAX_IN_FLIGHT: '16',
      ...(secured && { TLS_CA_FILE: join(files.mounted('trust'), 'ca.crt') }),
      ...tlsSettings(setup, (name) => files.own('host', name)),
    }),
  };
}

type Program = Pick<RunningProgram, 'lines'>;

/** Changes of what is mounted, each of which waits until every program has read its setting again. */
function changesOf(
  { published, secrets, publish, putSecrets, newLeaf }: MountedFiles,
  programs: Readonly<Record<Server, Program>>,
): Pick<TrustTestbed, 'trust' | 'trustAuthorities' | 'setKey' | 'issue'> {
  const { gateway, host } = programs;
  /** How often a program has read a setting again. */
  const readings = (program: Program, setting: string): number =>
    program.lines().filter((line) => line.setting === setting && line.level === 'info').length;
  const changing = async (change: () => Promise<void>, ...readers: [Program, string][]): Promise<void> => {
    const read = (): number[] => readers.map(([program, setting]) => readings(program, setting));
    const before = read();
    await change();
    await until('the change was read', () => read().every((count, index) => count > (before[index] as number)));
  };
  return {
    trust: (role, all) => {
      published[role] = all;
      return role === 'gateway'
        ? changing(publish, [host, 'gateway DIDs'], [gateway, 'own DIDs'])
        : changing(publish, [host, 'control plane DIDs']);
    },
    trustAuthorities: (...authorities) => {
      published.authorities = authorities;
      return changing(publish, [host, 'trusted certificates'], [gateway, 'trusted certificates']);
    },
    setKey: (role, { seed }) => {
      secrets[role].seed = seed;
      return changing(() => putSecrets(role), [programs[role], 'signing key']);
    },
    issue: async (server, by) => {
      await newLeaf(server, by);
      await changing(() => putSecrets(server), [programs[server], 'server certificate']);
    },
  };
}

/** The result in an answer to a submitted action. */
export function resultOf(body: unknown): ActionResult | undefined {
  return (body as { body?: { action_result?: ActionResult } }).body?.action_result;
}

/** Plain and streaming actions one after the other in three lanes, and checks the host's readiness. */
function startLoad(client: TestClient, ready: () => Promise<boolean>): Load {
  let running = true;
  let done = 0;
  let unready = 0;
  const failed: unknown[] = [];
  const lane = async (action: Parameters<TestClient['submit']>[0]): Promise<void> => {
    while (running) {
      const { status, body } = await client.submit(action);
      if (status === 200 && resultOf(body)?.status === 'completed') done += 1;
      else failed.push(body);
    }
  };
  const watch = async (): Promise<void> => {
    while (running) if (!(await ready())) unready += 1;
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

function prefixed(prefix: string, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}

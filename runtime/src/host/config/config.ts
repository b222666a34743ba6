import { readFileSync } from 'node:fs';
import type { ConnectorSource } from '../../connectors/load.js';
import { connectionOf, type DatabaseAddress } from '../../postgres/address.js';
import { type IdKind, isId } from '../../protocol/ids.js';
import {
  DRAIN_MS,
  HEALTH_PROBE_MS,
  HEARTBEAT_MS,
  HOST_BODY_BYTES,
  HOST_CONCURRENCY,
  LEASE_TTL_MS,
  MAX_CREDENTIAL_REF_BYTES,
  MAX_DRAIN_MS,
  MAX_HEALTH_PROBE_MS,
  MAX_LEASE_TTL_MS,
  MIN_LEASE_TTL_MS,
  PEER_TIMEOUT_MS,
} from '../../protocol/limits.js';
import type { Principal, TenantRef } from '../../protocol/types.js';
import { ANSWERED_BODY_BYTES, UNFINISHED_BODY_BYTES } from '../../transport/http/body-budget.js';
import type { TlsFiles } from '../../transport/http/server.js';
import { databaseOf } from '../../transport/settings/database.js';
import type { DidList } from '../../transport/settings/dids.js';
import { type Env, isLoopbackHost, parseBind, env as readEnv } from '../../transport/settings/env.js';
import type { FileSetting } from '../../transport/settings/live-setting.js';
import { serverTlsOf, trustedRootsOf } from '../../transport/settings/tls.js';
import type { JournalDurability } from '../journal/durability.js';
import { didsOf } from './dids.js';
import { endpointOf } from './endpoint.js';

/** Prefix of every variable of a host (docs/protocol/host.md#settings). */
export const HOST_PREFIX = 'AIP_CONNECTOR_HOST_';

const MAX_CONTROL_TIMEOUT_MS = 30_000;
const MAX_NAME_WAIT_MS = 300_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const PREVIOUS_SECRET_MS = 86_400_000;
const MAX_PREVIOUS_SECRET_MS = 7 * 86_400_000;
const DEFAULT_DATABASE_CONNECTIONS = 8;

/** Where the central server takes chunks or events, and whether plain http and private addresses are admitted for it. */
export interface CentralTarget {
  url: string;
  allowHttp: boolean;
  allowPrivate: boolean;
}

/** The credential handle of the instance with the revision it was configured with; never its material. */
export interface CredentialConfig {
  id: string;
  issuer: string;
  revision: string;
  scopes: string[];
}

/** The central gateway without its DIDs, which change. */
export type GatewayPrincipal = Required<Pick<Principal, 'id' | 'kind' | 'trust_domain'>>;

/** Everything a host is configured with; times in milliseconds, sizes in bytes. */
export interface HostConfig {
  bind: { host: string; port: number };
  tls?: FileSetting<TlsFiles>;
  /** As admitted in the registry; text is compared exactly. */
  publicEndpoint: string;
  controlEndpoint: string;
  /** Who may grant leases. */
  controlDids: FileSetting<DidList>;
  gateway: GatewayPrincipal;
  /** Under which DIDs the gateway may send work; the active one is whom events go to. */
  gatewayDids: FileSetting<DidList>;
  database: FileSetting<DatabaseAddress>;
  databaseConnections: number;
  /** Which writes of the execution journal wait for the disk. */
  journalDurability: JournalDurability;
  signingSeed: string;
  typeId: string;
  versionId: string;
  instanceId: string;
  replicaId: string;
  tenant: TenantRef;
  externalAccount?: { id: string; system: string };
  /** PEM that is trusted besides the public roots. */
  tlsCa: FileSetting<string | undefined>;
  trustDomain: string;
  topology: { region: string; zone: string; capacity_class: string };
  artifactDigest: string;
  secretProviderRef: string;
  configRevision: number;
  credential?: CredentialConfig;
  credentialPolicyFile?: string;
  callback?: CentralTarget;
  events?: CentralTarget;
  webhook: {
    /** How long a previous webhook secret counts after it was first seen. */
    previousSecretMs: number;
    /** Put before the path of the webhook route, beside the route itself; empty: none. */
    pathPrefix: string;
  };
  maxInFlight: number;
  maxBodyBytes: number;
  /** Bytes of request bodies that are being read, all together. */
  maxUnfinishedBodyBytes: number;
  /** Bytes of large request bodies that are being answered, all together. */
  maxAnsweredBodyBytes: number;
  leaseTtlMs: number;
  heartbeatMs: number;
  drainTimeoutMs: number;
  healthTimeoutMs: number;
  controlTimeoutMs: number;
  /** How long a host that starts waits until DNS knows its public name; 0: not at all. */
  nameWaitMs: number;
  connector: ConnectorSource;
  /** Folder with the secrets of the instance, one file each. */
  secretsDir?: string;
  connectorConfig: unknown;
  logLevel?: string;
}

/** Reads and checks the whole configuration (docs/protocol/host.md#settings). Throws StartupRefused with code `connector_host.config`. */
export function readHostConfig(source: Readonly<Record<string, string | undefined>>): HostConfig {
  const env = readEnv(HOST_PREFIX, source, 'connector_host.config');
  const bind = bindOf(env);
  const plainHttp = loopbackHttp(env, bind.host) ? 'loopback' : 'never';
  const trustDomain = env.requiredText('TRUST_DOMAIN', { maxBytes: 253 });
  const leaseTtlMs = env.int('LEASE_TTL_MS', LEASE_TTL_MS, { min: MIN_LEASE_TTL_MS, max: MAX_LEASE_TTL_MS });
  return {
    bind,
    ...optional('tls', serverTlsOf(env)),
    publicEndpoint: env.required('PUBLIC_ENDPOINT', endpointOf(env, 'PUBLIC_ENDPOINT', '/aip/v1/messages', plainHttp)),
    controlEndpoint: env.required(
      'CONTROL_ENDPOINT',
      endpointOf(env, 'CONTROL_ENDPOINT', '/aip/v1/connector-control', plainHttp),
    ),
    controlDids: didsOf(env, 'CONTROL_DID'),
    gateway: {
      id: env.requiredText('GATEWAY_PRINCIPAL_ID', { maxBytes: 512 }),
      kind: 'service',
      trust_domain: trustDomain,
    },
    gatewayDids: didsOf(env, 'GATEWAY_DID'),
    database: env.required(
      'DATABASE_URL_FILE',
      databaseOf(env, { url: 'DATABASE_URL', ca: 'DATABASE_CA_FILE' }, connectionOf),
    ),
    databaseConnections: env.int('DATABASE_CONNECTIONS', DEFAULT_DATABASE_CONNECTIONS, { min: 1, max: 256 }),
    journalDurability: durabilityOf(env),
    signingSeed: seedOf(env),
    typeId: idOf(env, 'TYPE_ID', 'connectorType'),
    versionId: idOf(env, 'VERSION_ID', 'connectorVersion'),
    instanceId: idOf(env, 'INSTANCE_ID', 'connectorInstance'),
    replicaId: idOf(env, 'REPLICA_ID', 'connectorReplica'),
    tenant: {
      id: env.requiredText('TENANT_ID', { maxBytes: 512 }),
      ...optional('system', env.text('TENANT_SYSTEM', { maxBytes: 512 })),
    },
    ...optional('externalAccount', externalAccountOf(env)),
    tlsCa: trustedRootsOf(env, 'TLS_CA_FILE'),
    trustDomain,
    topology: {
      region: labelOf(env, 'REGION', 'global'),
      zone: labelOf(env, 'ZONE', 'default'),
      capacity_class: labelOf(env, 'CAPACITY_CLASS', 'standard'),
    },
    artifactDigest: env.requiredText('ARTIFACT_DIGEST', {
      pattern: /^sha256:[0-9a-f]{64}$/,
      form: 'sha256: and 64 lower-case hex digits',
    }),
    secretProviderRef: env.requiredText('SECRET_PROVIDER_REF', { maxBytes: 2048 }),
    configRevision: env.int('CONFIG_REVISION', 1, { min: 1 }),
    ...optional('credential', credentialOf(env)),
    ...optional('credentialPolicyFile', env.text('CREDENTIAL_POLICY_FILE', { maxBytes: 4096 })),
    ...optional('callback', targetOf(env, 'CALLBACK', '/aip/v1/connector-callbacks')),
    ...optional('events', targetOf(env, 'EVENT', '/aip/v1/connector-events')),
    webhook: {
      previousSecretMs: env.int('WEBHOOK_PREVIOUS_SECRET_MS', PREVIOUS_SECRET_MS, {
        min: 0,
        max: MAX_PREVIOUS_SECRET_MS,
      }),
      pathPrefix:
        env.text('WEBHOOK_PATH_PREFIX', {
          maxBytes: 256,
          pattern: /^(?:\/[A-Za-z0-9._~-]+)+$/,
          form: 'a path without a slash at its end, such as /acme',
        }) ?? '',
    },
    maxInFlight: env.int('MAX_IN_FLIGHT', HOST_CONCURRENCY, { min: 1, max: 4_294_967_295 }),
    maxBodyBytes: env.int('MAX_BODY_BYTES', HOST_BODY_BYTES, { min: 1024, max: MAX_BODY_BYTES }),
    maxUnfinishedBodyBytes: env.int('MAX_UNFINISHED_BODY_BYTES', UNFINISHED_BODY_BYTES, { min: 1 }),
    maxAnsweredBodyBytes: env.int('MAX_ANSWERED_BODY_BYTES', ANSWERED_BODY_BYTES / 2, { min: 1 }),
    leaseTtlMs,
    heartbeatMs: env.int('HEARTBEAT_MS', Math.min(HEARTBEAT_MS, Math.floor(leaseTtlMs / 2)), {
      min: 1,
      max: Math.floor(leaseTtlMs / 2),
    }),
    drainTimeoutMs: env.int('DRAIN_TIMEOUT_MS', DRAIN_MS, { min: 1, max: MAX_DRAIN_MS }),
    healthTimeoutMs: env.int('HEALTH_TIMEOUT_MS', HEALTH_PROBE_MS, { min: 1, max: MAX_HEALTH_PROBE_MS }),
    controlTimeoutMs: env.int('CONTROL_TIMEOUT_MS', PEER_TIMEOUT_MS, { min: 1, max: MAX_CONTROL_TIMEOUT_MS }),
    nameWaitMs: env.int('NAME_WAIT_MS', 0, { min: 0, max: MAX_NAME_WAIT_MS }),
    connector: connectorOf(env),
    ...optional('secretsDir', env.text('SECRETS_DIR', { maxBytes: 4096 })),
    connectorConfig: connectorConfigOf(env),
    ...optional(
      'logLevel',
      env.text('LOG_LEVEL', { pattern: /^(trace|debug|info|warn|error|fatal|silent)$/, form: 'a log level' }),
    ),
  };
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}

function bindOf(env: Env): HostConfig['bind'] {
  const bind = parseBind(env.text('BIND') ?? '0.0.0.0:8081');
  if (!bind) throw env.refuse('BIND', 'must be an address and a port, like 0.0.0.0:8081');
  return bind;
}

function loopbackHttp(env: Env, host: string): boolean {
  if (!env.bool('ALLOW_LOOPBACK_HTTP')) return false;
  if (!isLoopbackHost(host)) throw env.refuse('ALLOW_LOOPBACK_HTTP', `needs a loopback address in ${env.name('BIND')}`);
  return true;
}

function durabilityOf(env: Env): JournalDurability {
  const value = env.text('JOURNAL_DURABILITY', { pattern: /^(relaxed|strict)$/, form: 'relaxed or strict' });
  return value === 'strict' ? 'strict' : 'relaxed';
}

function seedOf(env: Env): string {
  const seed = env.required('SIGNING_SEED_FILE', env.secretFile('SIGNING_SEED_FILE', 256));
  if (!/^[0-9a-fA-F]{64}$/.test(seed)) throw env.refuse('SIGNING_SEED_FILE', 'must name a file with 64 hex digits');
  return seed;
}

function idOf(env: Env, name: string, kind: IdKind): string {
  const id = env.requiredText(name, { maxBytes: 256 });
  if (!isId(kind, id)) throw env.refuse(name, 'does not have the prefix of its kind of identifier');
  return id;
}

function labelOf(env: Env, name: string, fallback: string): string {
  return (
    env.text(name, {
      maxBytes: 128,
      pattern: /^[A-Za-z0-9._-]+$/,
      form: 'made of letters, digits, dash, dot, underscore',
    }) ?? fallback
  );
}

function externalAccountOf(env: Env): HostConfig['externalAccount'] {
  const id = env.text('EXTERNAL_ACCOUNT_ID', { maxBytes: 512 });
  const system = env.text('EXTERNAL_ACCOUNT_SYSTEM', { maxBytes: 128 });
  if (id === undefined && system === undefined) return undefined;
  if (id === undefined || system === undefined) {
    throw env.refuse('EXTERNAL_ACCOUNT_ID', `and ${env.name('EXTERNAL_ACCOUNT_SYSTEM')} must be given together`);
  }
  return { id, system };
}

function credentialOf(env: Env): CredentialConfig | undefined {
  const names = ['CREDENTIAL_ID', 'CREDENTIAL_ISSUER', 'CREDENTIAL_REVISION', 'CREDENTIAL_SCOPES'];
  const given = names.filter((name) => env.given(name));
  if (given.length === 0) return undefined;
  const missing = names.find((name) => !env.given(name));
  if (missing !== undefined) throw env.refuse(missing, `is required together with ${env.name(given[0] as string)}`);
  const scopes = env.list('CREDENTIAL_SCOPES');
  if (scopes.length === 0) throw env.refuse('CREDENTIAL_SCOPES', 'must name at least one scope');
  return {
    id: env.requiredText('CREDENTIAL_ID', { maxBytes: 512 }),
    issuer: env.requiredText('CREDENTIAL_ISSUER', { maxBytes: 512 }),
    revision: env.requiredText('CREDENTIAL_REVISION', { maxBytes: MAX_CREDENTIAL_REF_BYTES }),
    scopes,
  };
}

function targetOf(env: Env, name: 'CALLBACK' | 'EVENT', path: string): CentralTarget | undefined {
  const allowHttp = env.bool(`${name}_ALLOW_HTTP`);
  const allowPrivate = env.bool(`${name}_ALLOW_PRIVATE`);
  const url = endpointOf(env, `${name}_ENDPOINT`, path, allowHttp ? 'anywhere' : 'never');
  if (url !== undefined) return { url, allowHttp, allowPrivate };
  if (allowHttp || allowPrivate) {
    const flag = allowHttp ? `${name}_ALLOW_HTTP` : `${name}_ALLOW_PRIVATE`;
    throw env.refuse(flag, `has no meaning without ${env.name(`${name}_ENDPOINT`)}`);
  }
  return undefined;
}

function connectorOf(env: Env): ConnectorSource {
  const type = env.text('CONNECTOR', { maxBytes: 128 });
  const module = env.text('CONNECTOR_MODULE', { maxBytes: 4096 });
  if (type === undefined && module === undefined) throw env.refuse('CONNECTOR', 'is required');
  return { ...optional('type', type), ...optional('module', module) };
}

function connectorConfigOf(env: Env): unknown {
  const inline = env.text('CONFIG');
  const file = env.text('CONFIG_FILE', { maxBytes: 4096 });
  if (inline !== undefined && file !== undefined) {
    throw env.refuse('CONFIG', `and ${env.name('CONFIG_FILE')} exclude one another`);
  }
  return parseConnectorConfig(inline ?? (file === undefined ? '{}' : readText(env, file)), (why) =>
    env.refuse(file === undefined ? 'CONFIG' : 'CONFIG_FILE', why),
  );
}

function readText(env: Env, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw env.refuse('CONFIG_FILE', `names ${file}, which cannot be read`);
  }
}

/** The configuration of a connector from its JSON text; `refuse` makes the error for text that is not valid JSON. */
export function parseConnectorConfig(text: string, refuse: (why: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('must hold JSON');
  }
}

import { connectionOf, type DatabaseAddress } from '../postgres/address.js';
import { MAX_DOCUMENT_BYTES } from '../protocol/content/documents.js';
import {
  ACQUIRE_TIMEOUT_MS,
  MAX_ACQUIRE_TIMEOUT_MS,
  MAX_TIMER_MS,
  PEER_POOLS,
  PEER_RESPONSE_BYTES,
  PEER_RETRIES,
  PEER_TIMEOUT_MS,
  RECONCILIATION_CONCURRENCY,
  REGISTRY_CONNECTIONS,
  STATEMENT_TIMEOUT_MS,
} from '../protocol/limits.js';
import type { SigningKey } from '../protocol/signing.js';
import type { Principal } from '../protocol/types.js';
import type { TopologyPreference } from '../registry/routes/assignment.js';
import { ANSWERED_BODY_BYTES, UNFINISHED_BODY_BYTES } from '../transport/http/body-budget.js';
import type { TlsFiles } from '../transport/http/server.js';
import { databaseOf } from '../transport/settings/database.js';
import { MAX_DID_LIST_BYTES, parseDidList } from '../transport/settings/dids.js';
import { env, isLoopbackHost, parseBind } from '../transport/settings/env.js';
import { type FileSetting, fileSetting, fixedSetting } from '../transport/settings/live-setting.js';
import { signingKeyOf } from '../transport/settings/seed.js';
import { serverTlsOf, trustedRootsOf } from '../transport/settings/tls.js';
import { type AuthorityTable, parseAuthorityFile } from './approvals/authority/file.js';
import { type CallbackSettings, readCallbackSettings } from './callbacks/settings.js';
import type { ShareLimits } from './claims/caller-shares.js';
import type { SchedulerLimits } from './dispatch/scheduler-limits.js';
import { readSchedulerLimits } from './dispatch/scheduler-settings.js';
import type { Identity } from './edge/identity.js';
import { principalOfId } from './edge/principal-kind.js';
import { type TrustedSigners, trustedSigners } from './edge/signers.js';
import { type BrokerConfig, readBrokerConfig } from './endpoints/broker/settings.js';
import { readWebSocketLimits } from './endpoints/websocket/settings.js';
import { type FollowerLimits, readFollowerLimits } from './events/follow/followers.js';
import { type IngressLimits, readIngressLimits } from './ingress/limits.js';
import { type RetentionRules, readRetentionRules } from './maintenance/retention-rules.js';
import { type DelegationSettings, readDelegationSettings } from './peers/delegations/settings.js';
import { readStockLimits, type StockLimits } from './records/stock/limits.js';

/** The prefix of every variable of the gateway. */
export const GATEWAY_PREFIX = 'AIP_GATEWAY_';
const CONFIG_CODE = 'aip.server.config';

/** Everything a gateway reads from its environment (docs/protocol/README.md). Times in milliseconds, sizes in bytes. */
export interface GatewayConfig {
  readonly bind: { readonly host: string; readonly port: number };
  readonly tls?: FileSetting<TlsFiles> | undefined;
  readonly principal: Principal;
  /** What no other gateway of the fleet is called at the same time. */
  readonly name?: string | undefined;
  readonly trustDomain: string;
  readonly database: FileSetting<DatabaseAddress>;
  readonly postgresMaxConnections: number;
  /** How long either database may take to answer a statement. */
  readonly statementTimeoutMs: number;
  readonly credential?: { readonly token: string; readonly identity: Identity } | undefined;
  readonly principalsFile?: string | undefined;
  /** Who may decide approvals; absent: the roles of the principals file say so. */
  readonly approvalAuthority?: FileSetting<AuthorityTable> | undefined;
  readonly signers: TrustedSigners;
  readonly allowUnsigned: boolean;
  readonly insecureDevelopment: boolean;
  readonly developmentTenantId?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly drainMs: number;
  /** How far the process's clock may be from the database's while the gateway is ready. */
  readonly maxClockSkewMs: number;
  readonly retention: RetentionRules;
  /** Questions to providers about unknown outcomes that may run at once. */
  readonly maxReconciliations: number;
  readonly followers: FollowerLimits;
  /** How many WebSocket connections may be open at once. */
  readonly webSockets: ShareLimits;
  /** What one tenant may store of each kind of record. */
  readonly stock: StockLimits;
  /** Actions that one tenant may have stored; 0: no bound. */
  readonly maxStoredActions: number;
  /** Bytes of request bodies that are being read, all together. */
  readonly maxUnfinishedBodyBytes: number;
  /** Bytes of large request bodies that are being answered, all together. */
  readonly maxAnsweredBodyBytes: number;
  readonly callbacks: CallbackSettings;
  readonly delegations: DelegationSettings;
  readonly fleet?: FleetConfig | undefined;
  /** Absent: the gateway listens on no broker. */
  readonly broker?: BrokerConfig | undefined;
}

/** The part that turns the connector fleet on (docs/protocol/registry.md#scheduler). */
export interface FleetConfig {
  readonly registryDatabase: FileSetting<DatabaseAddress>;
  /** The registry lies in the gateway's own database, so that one transaction may span both. */
  readonly sharesDatabase: boolean;
  readonly dataMaxConnections: number;
  readonly acquireTimeoutMs: number;
  /** Signs what goes to hosts and what answers them. */
  readonly key: FileSetting<SigningKey>;
  /** The DIDs under which hosts may address this gateway besides that of its key: those of a rotation that is under way. */
  readonly ownDids: FileSetting<readonly string[]>;
  readonly callbackUrl?: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly trustRegistryEndpoints: boolean;
  readonly allowHttp: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** The largest document of a result that is taken from a host, in bytes. */
  readonly maxDocumentBytes: number;
  readonly retryBudget: number;
  readonly maxCachedClients: number;
  readonly tlsCa: FileSetting<string | undefined>;
  readonly topology: TopologyPreference;
  readonly scheduler: SchedulerLimits;
  readonly ingress: IngressLimits;
}

type Variables = ReturnType<typeof env>;

/**
 * Reads the configuration from the environment. Throws StartupRefused, which names the variable, for everything that
 * must not start.
 */
export function readConfig(source: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const vars = env(GATEWAY_PREFIX, source, CONFIG_CODE);
  const bind = parseBind(vars.text('BIND') ?? '127.0.0.1:8080');
  if (!bind) throw vars.refuse('BIND', 'must be HOST:PORT');
  const insecureDevelopment = vars.bool('INSECURE_DEVELOPMENT');
  if (insecureDevelopment && !isLoopbackHost(bind.host))
    throw vars.refuse('INSECURE_DEVELOPMENT', 'is for a loopback bind alone');
  const database = vars.required(
    'POSTGRES_URL',
    databaseOf(vars, { url: 'POSTGRES_URL', ca: 'POSTGRES_CA_FILE' }, connectionOf),
  );
  const credential = readCredential(vars);
  const principalsFile = vars.text('PRINCIPALS_FILE');
  const trustDomain = vars.text('TRUST_DOMAIN', { maxBytes: 256 }) ?? 'local';
  const allowUnsigned = readUnsigned(
    vars,
    insecureDevelopment || credential !== undefined || principalsFile !== undefined,
  );
  const fleet = readFleet(vars, database.initial.url);
  return {
    bind,
    tls: serverTlsOf(vars),
    principal: principalOfId(vars.text('SERVICE_ID', { maxBytes: 256 }) ?? 'service:aip-gateway'),
    name: vars.text('NAME', { maxBytes: 253, pattern: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/ }),
    trustDomain,
    database,
    postgresMaxConnections: vars.int('POSTGRES_MAX_CONNECTIONS', 16, { min: 2, max: 1000 }),
    statementTimeoutMs: vars.int('POSTGRES_STATEMENT_TIMEOUT_MS', STATEMENT_TIMEOUT_MS, {
      min: 100,
      max: MAX_TIMER_MS,
    }),
    credential,
    principalsFile,
    approvalAuthority: readApprovalAuthority(vars),
    signers: readSigners(vars),
    allowUnsigned,
    insecureDevelopment,
    developmentTenantId: vars.text('NATIVE_TENANT_ID', { maxBytes: 512 }),
    logLevel: vars.text('LOG_LEVEL', { pattern: /^(trace|debug|info|warn|error|fatal|silent)$/ }),
    maxClockSkewMs: vars.int('MAX_CLOCK_SKEW_MS', 5000, { min: 1, max: MAX_TIMER_MS }),
    drainMs: vars.int('DRAIN_MS', 10_000, { min: 0, max: 300_000 }),
    retention: readRetentionRules(vars),
    maxReconciliations: vars.int('RECONCILIATION_MAX_IN_FLIGHT', RECONCILIATION_CONCURRENCY, { min: 1, max: 10_000 }),
    followers: readFollowerLimits(vars),
    webSockets: readWebSocketLimits(vars),
    stock: readStockLimits(vars),
    maxStoredActions: vars.int('MAX_STORED_ACTIONS_PER_TENANT', 0, { min: 0 }),
    maxUnfinishedBodyBytes: vars.int('MAX_UNFINISHED_BODY_BYTES', 2 * UNFINISHED_BODY_BYTES, { min: 1 }),
    maxAnsweredBodyBytes: vars.int('MAX_ANSWERED_BODY_BYTES', ANSWERED_BODY_BYTES, { min: 1 }),
    callbacks: readCallbackSettings(vars, fleet !== undefined),
    fleet,
    delegations: readDelegationSettings(vars, fleet !== undefined),
    broker: readBrokerConfig(vars, trustDomain),
  };
}

function readCredential(vars: Variables): GatewayConfig['credential'] {
  const token = vars.secret('NATIVE_BEARER_TOKEN', 16_384);
  if (token === undefined) return undefined;
  const tenantId = vars.text('NATIVE_TENANT_ID', { maxBytes: 512 });
  const principal = principalOfId(vars.text('NATIVE_PRINCIPAL', { maxBytes: 256 }) ?? 'service:aip-gateway:http-edge');
  const scopes = new Set(vars.list('NATIVE_PRINCIPAL_SCOPES'));
  const tenant = tenantId === undefined ? {} : { tenantId };
  return { token, identity: { principal, scopes, ...tenant, roles: [], scheme: 'bearer' } };
}

function readApprovalAuthority(vars: Variables): GatewayConfig['approvalAuthority'] {
  const name = 'APPROVAL_AUTHORITY_FILE';
  const file = vars.text(name);
  if (file === undefined) return undefined;
  return fileSetting([file], () => {
    const text = vars.required(name, vars.publicFile(name));
    try {
      return parseAuthorityFile(text);
    } catch (error) {
      throw vars.refuse(name, `is refused: ${(error as Error).message}`);
    }
  });
}

function readUnsigned(vars: Variables, guarded: boolean): boolean {
  const allow = vars.bool('ALLOW_UNSIGNED_ENVELOPES');
  if (allow && vars.bool('REQUIRE_SIGNED_ENVELOPES'))
    throw vars.refuse('ALLOW_UNSIGNED_ENVELOPES', 'contradicts REQUIRE_SIGNED_ENVELOPES');
  if (allow && !guarded)
    throw vars.refuse('ALLOW_UNSIGNED_ENVELOPES', 'needs a bearer credential or insecure development');
  return allow;
}

function readSigners(vars: Variables): TrustedSigners {
  const inline = (vars.text('TRUSTED_SIGNERS') ?? '')
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const text = vars.publicFile('TRUSTED_SIGNER_FILE');
  try {
    return trustedSigners(inline, text === undefined ? undefined : JSON.parse(text));
  } catch (error) {
    const name = text === undefined ? 'TRUSTED_SIGNERS' : 'TRUSTED_SIGNER_FILE';
    throw vars.refuse(name, `is refused: ${(error as Error).message}`);
  }
}

function readFleet(vars: Variables, postgresUrl: string): FleetConfig | undefined {
  const ownCa = vars.given('CONNECTOR_REGISTRY_CA_FILE');
  const registryCa = ownCa ? 'CONNECTOR_REGISTRY_CA_FILE' : 'POSTGRES_CA_FILE';
  const registryDatabase = databaseOf(vars, { url: 'CONNECTOR_REGISTRY_URL', ca: registryCa }, connectionOf);
  if (registryDatabase === undefined) {
    const stray = [...vars.givenWith('CONNECTOR_FLEET_'), ...vars.givenWith('CONNECTOR_REGISTRY_DATA_')][0];
    if (stray !== undefined) throw vars.refuse(stray, 'needs CONNECTOR_REGISTRY_URL');
    return undefined;
  }
  const positive = (name: string, fallback: number): number => vars.int(name, fallback, { min: 1 });
  const allowedHosts = vars.list('CONNECTOR_FLEET_ALLOWED_HOSTS');
  const trustRegistryEndpoints = vars.bool('CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS');
  if (allowedHosts.length === 0 && !trustRegistryEndpoints)
    throw vars.refuse('CONNECTOR_FLEET_ALLOWED_HOSTS', 'or CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS is required');
  const callback = vars.url('CONNECTOR_FLEET_CALLBACK_URL', {
    path: '/aip/v1/connector-callbacks',
    schemes: ['http', 'https'],
  });
  return {
    registryDatabase,
    sharesDatabase: registryDatabase.initial.url === postgresUrl,
    dataMaxConnections: positive('CONNECTOR_REGISTRY_DATA_MAX_CONNECTIONS', REGISTRY_CONNECTIONS),
    acquireTimeoutMs: vars.int('CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS', ACQUIRE_TIMEOUT_MS, {
      min: 1,
      max: MAX_ACQUIRE_TIMEOUT_MS,
    }),
    key: signingKeyOf(vars, 'CONNECTOR_FLEET_SIGNING_SEED_FILE'),
    ownDids: readOwnDids(vars),
    callbackUrl: callback?.href,
    allowedHosts,
    trustRegistryEndpoints,
    allowHttp: vars.bool('CONNECTOR_FLEET_ALLOW_HTTP'),
    allowPrivateNetworks: vars.bool('CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS'),
    timeoutMs: vars.int('CONNECTOR_FLEET_TIMEOUT_MS', PEER_TIMEOUT_MS, { min: 1, max: MAX_TIMER_MS }),
    maxResponseBytes: positive('CONNECTOR_FLEET_MAX_RESPONSE_BYTES', PEER_RESPONSE_BYTES),
    maxDocumentBytes: positive('CONNECTOR_FLEET_MAX_DOCUMENT_BYTES', MAX_DOCUMENT_BYTES),
    retryBudget: vars.int('CONNECTOR_FLEET_RETRY_BUDGET', PEER_RETRIES, { min: 0, max: 10 }),
    maxCachedClients: positive('CONNECTOR_FLEET_MAX_CACHED_CLIENTS', PEER_POOLS),
    tlsCa: trustedRootsOf(vars, 'CONNECTOR_FLEET_TLS_CA_FILE'),
    topology: readTopology(vars),
    scheduler: readSchedulerLimits(vars),
    ingress: readIngressLimits(vars),
  };
}

function readTopology(vars: Variables): TopologyPreference {
  const region = vars.text('CONNECTOR_FLEET_REGION');
  const zone = vars.text('CONNECTOR_FLEET_ZONE');
  const capacityClass = vars.text('CONNECTOR_FLEET_CAPACITY_CLASS');
  return {
    ...(region === undefined ? {} : { region }),
    ...(zone === undefined ? {} : { zone }),
    ...(capacityClass === undefined ? {} : { capacityClass }),
    allowCrossRegion: !vars.bool('CONNECTOR_FLEET_DISABLE_CROSS_REGION_FAILOVER'),
  };
}

function readOwnDids(vars: Variables): FileSetting<readonly string[]> {
  const name = 'CONNECTOR_FLEET_OWN_DIDS_FILE';
  const file = vars.text(name);
  if (file === undefined) return fixedSetting([]);
  return fileSetting([file], () => {
    const text = vars.required(name, vars.publicFile(name, MAX_DID_LIST_BYTES));
    try {
      return parseDidList(text);
    } catch (error) {
      throw vars.refuse(name, (error as Error).message);
    }
  });
}

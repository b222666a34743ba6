import { connectionOf, type DatabaseAddress } from '@aip/runtime/internal/postgres';
import { databaseOf, type Env, env, type FileSetting, parseBind } from '@aip/runtime/internal/program';
import { ACQUIRE_TIMEOUT_MS, LEASE_TTL_MS, MAX_LEASE_TTL_MS, MIN_LEASE_TTL_MS } from '@aip/runtime/internal/protocol';
import type { HostTelemetry } from '../../fleet/host-variables.js';
import type { HostEgress } from '../objects/instance-objects.js';
import { type WebhookEdge, webhookEdgeOf } from '../objects/webhook-edge.js';

/** Prefix of the variables of the controller. */
export const CONTROLLER_PREFIX = 'AIP_CONTROLLER_';

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** A third is kept for hosts' leases, so that reconciles, as many at once as there are workers, never make them wait. */
const MAX_CONNECTIONS = 24;
const WORKERS = 16;

/** Settings of a controller process; times in milliseconds. */
export interface ControllerConfig {
  /** Namespace of the release, where trust and principals lie. */
  readonly namespace: string;
  /** Who this process is among the controllers of the release. */
  readonly identity: string;
  /** Prefix of the objects of the release. */
  readonly release: string;
  readonly trustDomain: string;
  /** DNS suffix of the cluster. */
  readonly clusterDomain: string;
  readonly database: FileSetting<DatabaseAddress>;
  /** Image of hosts of built-in connectors. */
  readonly runtimeImage: string;
  /** `annotated`: namespaces declare by annotation what they may claim; `open`: everything is allowed. */
  readonly tenancy: 'annotated' | 'open';
  readonly allowImageTags: boolean;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly quotaPoliciesFile?: string | undefined;
  readonly gatewayUrl: string;
  readonly controlUrl: string;
  readonly gatewayPrincipalId: string;
  readonly gatewayDnsNames: readonly string[];
  readonly controlDnsNames: readonly string[];
  readonly certManagerIssuer?: string | undefined;
  /** Whether hosts get a NetworkPolicy. */
  readonly networkPolicy: boolean;
  /** What hosts may reach, where their NetworkPolicy restricts it. */
  readonly hostEgress?: HostEgress | undefined;
  /** Telemetry of hosts: what this process itself has; absent: off. */
  readonly hostTelemetry?: HostTelemetry | undefined;
  readonly webhooks: WebhookEdge;
  readonly controlBind: { host: string; port: number };
  readonly adminBind: { host: string; port: number };
  readonly leaseTtlMs: number;
  /** Connections to the database: for leases of hosts, and for reconciles of the leader. */
  readonly controlConnections: number;
  readonly roundConnections: number;
  readonly acquireTimeoutMs: number;
  /** Instances reconciled at once. */
  readonly workers: number;
  readonly rotationOverlapMs: number;
  /** Everything is checked again after this time even when nothing was reported, moved at random up to half as long again. */
  readonly resyncMs: number;
  /** Only outside a cluster: the kubeconfig to use. */
  readonly kubeconfig?: string | undefined;
  /** Put before the paths of the service account's files, where they are mounted elsewhere. */
  readonly serviceAccountRoot?: string | undefined;
}

const HOST_TELEMETRY = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'];

/** Hosts send to the collector of this process; their headers come from a Secret of their own namespace. */
function hostTelemetryOf(source: NodeJS.ProcessEnv, read: Env): HostTelemetry | undefined {
  const variables = Object.fromEntries(
    HOST_TELEMETRY.flatMap((name) => (source[name] ? [[name, source[name]] as const] : [])),
  );
  if (variables.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  return { variables, headersSecret: read.text('HOST_OTLP_HEADERS_SECRET', { maxBytes: 253 }) };
}

/** The JSON of HOST_EGRESS; throws StartupRefused for other text. */
function hostEgressOf(read: Env): HostEgress | undefined {
  const text = read.text('HOST_EGRESS');
  if (text === undefined) return undefined;
  try {
    const { postgresPort, extra } = JSON.parse(text) as HostEgress;
    if (Number.isInteger(postgresPort) && Array.isArray(extra)) return { postgresPort, extra };
  } catch {
    // not JSON
  }
  throw read.refuse('HOST_EGRESS', 'must be JSON with postgresPort and extra, a list of egress rules');
}

/** Reads the variables AIP_CONTROLLER_*; throws StartupRefused that names the variable and what to change. */
export function readControllerConfig(source: NodeJS.ProcessEnv): ControllerConfig {
  const read = env(CONTROLLER_PREFIX, source, 'aip_controller.failed');
  const name = (variable: string): string =>
    read.requiredText(variable, { pattern: NAME, form: 'lower-case letters, digits and dashes' });
  const bind = (variable: string, standard: string): { host: string; port: number } => {
    const parsed = parseBind(read.text(variable) ?? standard);
    if (!parsed) throw read.refuse(variable, `must be host:port, for example ${standard}`);
    return parsed;
  };
  const namespace = name('NAMESPACE');
  const release = name('RELEASE');
  const clusterDomain = read.text('CLUSTER_DOMAIN') ?? 'cluster.local';
  const serviceNames = (service: string): string[] => [
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.${clusterDomain}`,
  ];
  const maxConnections = read.int('MAX_CONNECTIONS', MAX_CONNECTIONS, { min: 3, max: 256 });
  const tenancy = read.text('TENANCY', { pattern: /^(annotated|open)$/, form: 'annotated or open' }) ?? 'annotated';
  const gatewayDnsNames = read.list('GATEWAY_DNS_NAMES');
  const controlDnsNames = read.list('CONTROL_DNS_NAMES');
  const principal = { pattern: /^service:.+$/s, form: 'an id that begins with service:' };
  return {
    namespace,
    identity: read.requiredText('POD_NAME', { maxBytes: 253 }),
    release,
    trustDomain: read.requiredText('TRUST_DOMAIN', { maxBytes: 253 }),
    clusterDomain,
    database: read.required(
      'DATABASE_URL',
      databaseOf(read, { url: 'DATABASE_URL', ca: 'DATABASE_CA_FILE' }, connectionOf),
    ),
    runtimeImage: read.requiredText('RUNTIME_IMAGE', { maxBytes: 512 }),
    tenancy: tenancy as ControllerConfig['tenancy'],
    allowImageTags: read.bool('ALLOW_IMAGE_TAGS'),
    watchNamespaces: read.list('WATCH_NAMESPACES'),
    quotaPoliciesFile: read.text('QUOTA_POLICIES_FILE'),
    gatewayUrl: read.text('GATEWAY_URL') ?? `https://${release}-gateway.${namespace}.svc`,
    controlUrl:
      read.text('CONTROL_URL') ?? `https://${release}-control-plane.${namespace}.svc:8090/aip/v1/connector-control`,
    gatewayPrincipalId: read.text('GATEWAY_PRINCIPAL_ID', principal) ?? 'service:aip-gateway',
    gatewayDnsNames: gatewayDnsNames.length > 0 ? gatewayDnsNames : serviceNames(`${release}-gateway`),
    controlDnsNames: controlDnsNames.length > 0 ? controlDnsNames : serviceNames(`${release}-control-plane`),
    certManagerIssuer: read.text('CERT_MANAGER_ISSUER'),
    networkPolicy: read.bool('NETWORK_POLICY'),
    hostEgress: hostEgressOf(read),
    hostTelemetry: hostTelemetryOf(source, read),
    webhooks: webhookEdgeOf(read),
    controlBind: bind('CONTROL_BIND', '0.0.0.0:8090'),
    adminBind: bind('ADMIN_BIND', '0.0.0.0:8091'),
    leaseTtlMs: read.int('LEASE_TTL_MS', LEASE_TTL_MS, { min: MIN_LEASE_TTL_MS, max: MAX_LEASE_TTL_MS }),
    controlConnections: Math.floor(maxConnections / 3),
    roundConnections: maxConnections - Math.floor(maxConnections / 3),
    acquireTimeoutMs: read.int('ACQUIRE_TIMEOUT_MS', ACQUIRE_TIMEOUT_MS, { min: 1, max: 60_000 }),
    workers: read.int('WORKERS', WORKERS, { min: 1, max: 64 }),
    rotationOverlapMs: read.int('ROTATION_OVERLAP_SECONDS', 300, { min: 1, max: 86_400 }) * 1000,
    resyncMs: read.int('RESYNC_SECONDS', 600, { min: 10, max: 86_400 }) * 1000,
    kubeconfig: read.text('KUBECONFIG'),
    serviceAccountRoot: read.text('SERVICE_ACCOUNT_ROOT'),
  };
}

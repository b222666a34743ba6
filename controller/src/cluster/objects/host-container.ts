import { WEBHOOK_SECRET } from '@aip/runtime/internal/signing';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { type CentralAddresses, hostVariables, prefixed, secretVariables } from '../../fleet/host-variables.js';
import { importedVolumes, OWN_MOUNTS } from './host-volumes.js';
import { HOST_PORT } from './names.js';
import type { HostExtras } from './pod-extras.js';
import { containerBase } from './pod-parts.js';
import type { Template } from './template.js';
import { webhookPrefix } from './webhook-objects.js';

/**
 * A host registers no later than this, even where DNS never names it. Longer than what serves DNS takes to read the Pods again after the API
 * server was away: a client's pauses grow to a minute.
 */
const NAME_WAIT_MS = 120_000;

/** What the container of a host is made from. */
export interface HostContainerParts {
  readonly replica: ConnectorReplica;
  readonly template: Template;
  readonly replicaId: string;
  readonly fleet: CentralAddresses;
  readonly extras: HostExtras;
}

/** The container of a host with its probes, environment and mounts. */
export function hostContainer(parts: HostContainerParts): object {
  const { template, extras } = parts;
  return {
    name: 'host',
    image: template.image,
    args: ['host'],
    ...containerBase(template.pod),
    env: hostEnvironment(parts),
    ...extras.container,
    ports: [{ name: 'https', containerPort: HOST_PORT, protocol: 'TCP' }],
    startupProbe: { ...probe('/health'), periodSeconds: 1, failureThreshold: 120 },
    livenessProbe: { ...probe('/health'), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe('/ready'), periodSeconds: 5, failureThreshold: 2 },
    volumeMounts: [
      ...OWN_MOUNTS,
      ...importedVolumes(template.launch).map((name) => ({ name, mountPath: `/etc/aip/${name}`, readOnly: true })),
      ...extras.volumeMounts,
    ],
  };
}

function probe(path: string): object {
  return { httpGet: { path, port: 'https', scheme: 'HTTPS' }, timeoutSeconds: 5 };
}

/** The environment of a host: what to import, the connector's secrets, the host's own settings, telemetry, and what the user adds. */
function hostEnvironment(parts: HostContainerParts): object[] {
  const { template, fleet, extras } = parts;
  const { launch } = template;
  const variables = {
    AIP_IMPORT_SECRETS: importedVolumes(launch)
      .map((folder) => `/etc/aip/${folder}:/run/aip/${folder}`)
      .join(','),
    ...secretVariables(launch, '/run/aip/secrets'),
    ...prefixed(ownVariables(parts)),
    ...fleet.telemetry?.variables,
  };
  return [
    ...Object.entries(variables).map(([name, value]) => ({ name, value })),
    ...telemetryHeaders(fleet),
    ...extras.env,
  ];
}

/** The settings of the host itself, without their prefix. */
function ownVariables({ replica, template, replicaId, fleet }: HostContainerParts): Record<string, string> {
  const { launch } = template;
  const { metadata, spec } = replica;
  return {
    ...hostVariables({ replicaId, endpoint: spec.endpoint as string, launch }, fleet),
    BIND: `0.0.0.0:${HOST_PORT}`,
    TLS_CERT_FILE: '/run/aip/identity/tls.crt',
    TLS_KEY_FILE: '/run/aip/identity/tls.key',
    SIGNING_SEED_FILE: '/run/aip/identity/seed',
    DATABASE_URL_FILE: '/run/aip/database/url',
    ...(fleet.databaseCa ? { DATABASE_CA_FILE: '/run/aip/database/ca.crt' } : {}),
    TLS_CA_FILE: '/etc/aip/trust/ca.crt',
    CONTROL_DIDS_FILE: '/etc/aip/trust/control-plane-dids',
    GATEWAY_DIDS_FILE: '/etc/aip/trust/gateway-dids',
    CONFIG_FILE: '/etc/aip/config/config.json',
    ...(launch.secrets.length > 0 ? { SECRETS_DIR: '/run/aip/secrets' } : {}),
    CALLBACK_ALLOW_PRIVATE: 'true',
    NAME_WAIT_MS: String(NAME_WAIT_MS),
    ...(launch.secrets.some(({ file }) => file === WEBHOOK_SECRET)
      ? { WEBHOOK_PATH_PREFIX: webhookPrefix(metadata.namespace as string, spec.instanceRef.name) }
      : {}),
    ...(launch.events ? { EVENT_ALLOW_PRIVATE: 'true' } : {}),
  };
}

/** The headers of telemetry; a host in a namespace without the Secret starts without them. */
function telemetryHeaders({ telemetry }: CentralAddresses): object[] {
  if (!telemetry?.headersSecret) return [];
  const secretKeyRef = { name: telemetry.headersSecret, key: 'headers', optional: true };
  return [{ name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef } }];
}

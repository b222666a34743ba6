import { connectorTypeId } from '../api/names.js';
import type { Launch } from './launch.js';

/** Prefix of every variable of a host (docs/protocol/host.md#settings). */
export const HOST_PREFIX = 'AIP_CONNECTOR_HOST_';

/** Where a host finds the rest of the fleet. */
export interface CentralAddresses {
  trustDomain: string;
  controlUrl: string;
  gatewayUrl: string;
  gatewayPrincipalId: string;
  /** Whether hosts get the authority of the database's certificate beside its URL. */
  databaseCa?: boolean;
  /** Telemetry of hosts; absent: off. */
  telemetry?: HostTelemetry | undefined;
}

/** What hosts send traces and metrics with. */
export interface HostTelemetry {
  /** OTEL_ variables with their whole names. */
  variables: Readonly<Record<string, string>>;
  /** Secret in a host's namespace whose key `headers` has the headers of every export. */
  headersSecret?: string | undefined;
}

/** The variables of a host that say what it is, wherever it runs; without prefix. Where its files lie is added by what starts it. */
export function hostVariables(
  replica: { replicaId: string; endpoint: string; launch: Launch },
  fleet: CentralAddresses,
): Record<string, string> {
  const { launch } = replica;
  return {
    PUBLIC_ENDPOINT: replica.endpoint,
    CONTROL_ENDPOINT: fleet.controlUrl,
    GATEWAY_PRINCIPAL_ID: fleet.gatewayPrincipalId,
    TYPE_ID: connectorTypeId(launch.connectorType),
    VERSION_ID: launch.versionId,
    INSTANCE_ID: launch.instanceId,
    REPLICA_ID: replica.replicaId,
    TENANT_ID: launch.tenantId,
    TRUST_DOMAIN: fleet.trustDomain,
    REGION: launch.topology.region,
    ZONE: launch.topology.zone,
    CAPACITY_CLASS: launch.topology.capacityClass,
    ARTIFACT_DIGEST: launch.artifactDigest,
    SECRET_PROVIDER_REF: launch.secretProviderRef,
    CONFIG_REVISION: String(launch.configRevision),
    CALLBACK_ENDPOINT: `${fleet.gatewayUrl}/aip/v1/connector-callbacks`,
    ...(launch.events ? { EVENT_ENDPOINT: `${fleet.gatewayUrl}/aip/v1/connector-events` } : {}),
    MAX_IN_FLIGHT: String(launch.capacity),
    DRAIN_TIMEOUT_MS: String(launch.drainTimeoutMs),
    CONNECTOR: launch.connectorType,
  };
}

/**
 * The variables by which a connector's host knows the files of its secrets, `AIP_<TYPE>_<NAME>_FILE`, with their whole names: a file that is
 * missing then stops the host with its name.
 */
export function secretVariables({ connectorType, secrets }: Launch, folder: string): Record<string, string> {
  const prefix = `AIP_${variableName(connectorType)}_`;
  if (HOST_PREFIX.startsWith(prefix) || prefix.startsWith('AIP_CONNECTOR_')) return {};
  return Object.fromEntries(secrets.map(({ file }) => [`${prefix}${variableName(file)}_FILE`, `${folder}/${file}`]));
}

function variableName(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/** The variables with the prefix of hosts. */
export function prefixed(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [HOST_PREFIX + name, value]));
}

import { join } from 'node:path';
import { connectorTypeId } from '../api/names.js';
import { type Secret, secretValue } from '../api/secret.js';
import { privateDir, writePrivate } from './files.js';
import { replicaKeyFile } from './keys.js';
import type { Launch, ReplicaRecord } from './store.js';

/** What all hosts of a run share. */
export interface FleetCoordinates {
  trustDomain: string;
  controlUrl: string;
  controlDid: string;
  gatewayUrl: string;
  gatewayDid: string;
  gatewayPrincipalId: string;
}

/** Folders a host's files are put into. */
export interface HostFolders {
  keys: string;
  run: string;
  secrets: string;
}

/** Writes a host's private files (database URL, configuration, secrets) and gives its variables (spec 04 §3.2). */
export async function prepareHost(
  replica: ReplicaRecord & { launch: Launch; port: number },
  databaseUrl: string,
  fleet: FleetCoordinates,
  secrets: Readonly<Record<string, Secret>>,
  folders: HostFolders,
): Promise<Record<string, string>> {
  const { launch } = replica;
  const folder = join(folders.run, `${replica.namespace}.${replica.name}`);
  const databaseFile = join(folder, 'database-url');
  const configFile = join(folder, 'config.json');
  await Promise.all([
    writePrivate(databaseFile, `${databaseUrl}\n`),
    writePrivate(configFile, JSON.stringify(launch.config)),
  ]);
  const secretsDir = join(folders.secrets, `${replica.namespace}.${replica.name}`);
  await privateDir(secretsDir);
  for (const reference of launch.secrets) {
    const secret = secrets[`${replica.namespace}/${reference.secretKeyRef.name}`];
    const value = secret ? secretValue(secret, reference.secretKeyRef.key) : undefined;
    if (value) await writePrivate(join(secretsDir, reference.file), value);
  }
  const own: Record<string, string> = {
    BIND: `127.0.0.1:${replica.port}`,
    PUBLIC_ENDPOINT: replica.endpoint,
    CONTROL_ENDPOINT: fleet.controlUrl,
    CONTROL_DID: fleet.controlDid,
    GATEWAY_DID: fleet.gatewayDid,
    GATEWAY_PRINCIPAL_ID: fleet.gatewayPrincipalId,
    DATABASE_URL_FILE: databaseFile,
    SIGNING_SEED_FILE: replicaKeyFile(folders.keys, replica.namespace, replica.name),
    TYPE_ID: connectorTypeId(launch.connectorType),
    VERSION_ID: launch.versionId,
    INSTANCE_ID: launch.instanceId,
    REPLICA_ID: replica.replicaId,
    TENANT_ID: launch.tenantId,
    MEMBERSHIP_ID: `membership:${launch.tenantId}`.slice(0, 512),
    TRUST_DOMAIN: fleet.trustDomain,
    REGION: launch.topology.region,
    ZONE: launch.topology.zone,
    CAPACITY_CLASS: launch.topology.capacityClass,
    ARTIFACT_DIGEST: launch.artifactDigest,
    SECRET_PROVIDER_REF: launch.secretProviderRef,
    CONFIG_REVISION: String(launch.configRevision),
    CALLBACK_ENDPOINT: `${fleet.gatewayUrl}/aip/v1/connector-callbacks`,
    CALLBACK_ALLOW_HTTP: 'true',
    CALLBACK_ALLOW_PRIVATE: 'true',
    ALLOW_LOOPBACK_HTTP: 'true',
    MAX_IN_FLIGHT: String(launch.capacity),
    DRAIN_TIMEOUT_MS: String(launch.drainTimeoutMs),
    CONNECTOR: launch.connectorType,
    CONFIG_FILE: configFile,
    SECRETS_DIR: secretsDir,
  };
  if (launch.module) own.CONNECTOR_MODULE = launch.module;
  if (launch.events) {
    own.EVENT_ENDPOINT = `${fleet.gatewayUrl}/aip/v1/connector-events`;
    own.EVENT_ALLOW_HTTP = 'true';
    own.EVENT_ALLOW_PRIVATE = 'true';
  }
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [`AIP_CONNECTOR_HOST_${name}`, value]));
}

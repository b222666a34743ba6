import { join } from 'node:path';
import { type Secret, secretValue } from '../../api/secret.js';
import { privateDir, writePrivate } from '../../fleet/files.js';
import { type CentralAddresses, hostVariables, prefixed, secretVariables } from '../../fleet/host-variables.js';
import type { Launch } from '../../fleet/launch.js';
import { replicaKeyFile } from '../state/keys.js';
import type { ReplicaRecord } from '../state/store.js';

/** What all hosts of a run share. */
export interface FleetCoordinates extends CentralAddresses {
  controlDid: string;
  gatewayDid: string;
}

/** Folders a host's files are put into. */
export interface HostFolders {
  keys: string;
  run: string;
  secrets: string;
}

/** Writes a host's private files (database URL, configuration, secrets) and gives its variables (docs/protocol/host.md#settings). */
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
  const loopback = { CALLBACK_ALLOW_HTTP: 'true', CALLBACK_ALLOW_PRIVATE: 'true', ALLOW_LOOPBACK_HTTP: 'true' };
  const own = prefixed({
    ...hostVariables(replica, fleet),
    ...loopback,
    ...(launch.events ? { EVENT_ALLOW_HTTP: 'true', EVENT_ALLOW_PRIVATE: 'true' } : {}),
    BIND: `127.0.0.1:${replica.port}`,
    CONTROL_DID: fleet.controlDid,
    GATEWAY_DID: fleet.gatewayDid,
    DATABASE_URL_FILE: databaseFile,
    SIGNING_SEED_FILE: replicaKeyFile(folders.keys, replica.namespace, replica.name),
    CONFIG_FILE: configFile,
    SECRETS_DIR: secretsDir,
    ...(replica.module ? { CONNECTOR_MODULE: replica.module } : {}),
  });
  return { ...secretVariables(launch, secretsDir), ...own };
}

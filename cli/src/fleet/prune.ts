import { KINDS } from '@aip/controller/internal/api';
import {
  disableHostLogin,
  dropRemovedDatabase,
  type HostLogin,
  hasController,
  hostLogins,
  hostRole,
  type RemovedDatabase,
  removedDatabases,
} from '@aip/controller/internal/fleet';
import { openPool } from '@aip/runtime/internal/postgres';
import { CliError, UsageError } from '../client/errors.js';
import { openFleetSource } from './fleet-source.js';
import { RegistryUnreachable } from './registry-fleet.js';

/** Databases of removed instances, opened. */
export interface Prune {
  /** What can be dropped. Throws RegistryUnreachable. */
  found(): Promise<RemovedDatabase[]>;
  drop(removed: RemovedDatabase): Promise<void>;
  /** Roles of hosts that may log in, in a database without a controller. Throws CliError (`cli.controller_connected`), RegistryUnreachable. */
  logins(): Promise<HostLogin[]>;
  disable(login: HostLogin): Promise<void>;
  close(): Promise<void>;
}

/** Most time for dropping one schema, in ms. */
const DROP_MS = 300_000;

/**
 * Opens the fleet's database: the one that AIP_REGISTRY_URL names, else of the `aip dev`. With --context, roles of the cluster's existing
 * ConnectorInstances are never among those found. Throws UsageError, KubeError.
 */
export async function openPrune(
  flags: { context?: string | undefined; data?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<Prune> {
  const kept = new Set<string>();
  const source = await openFleetSource(flags, env);
  if (source.kind === 'cluster') {
    const { kube } = source.cluster;
    const { items } = await kube.list(KINDS.connectorInstance, {}).finally(() => kube.close());
    for (const { metadata } of items) kept.add(hostRole(metadata.uid ?? ''));
  }
  const url = source.kind === 'registry' ? source.url : env.AIP_REGISTRY_URL;
  if (!url)
    throw new UsageError(
      "The fleet's database is not named.",
      "Set AIP_REGISTRY_URL to the URL of the fleet's own database user.",
    );
  const pool = openPool({ url, max: 1, applicationName: 'aip-fleet-prune', statementTimeoutMs: DROP_MS });
  return {
    found: () =>
      removedDatabases(pool, kept).catch((error: unknown) => {
        throw new RegistryUnreachable(error);
      }),
    drop: (removed) => dropRemovedDatabase(pool, removed),
    logins: async () => {
      const connected = await hasController(pool).catch((error: unknown) => {
        throw new RegistryUnreachable(error);
      });
      if (connected)
        throw new CliError(
          'cli.controller_connected',
          'A controller or an `aip dev` is connected to the database; its hosts need their logins.',
        );
      return hostLogins(pool);
    },
    disable: (login) => disableHostLogin(pool, login),
    close: () => pool.close(),
  };
}

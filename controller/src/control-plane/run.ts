import { listen } from '@aip/runtime/internal/http';
import { openDatabaseClock, openPool } from '@aip/runtime/internal/postgres';
import { followSetting, type Program, type RunningProgram } from '@aip/runtime/internal/program';
import { systemClock } from '@aip/runtime/internal/protocol';
import { openRegistry } from '@aip/runtime/internal/registry';
import { controlPlaneApp } from './app.js';
import { type ControlPlaneConfig, readControlPlaneConfig } from './config.js';

const DRAIN_MS = 3000;

/** The control plane alone (prefix AIP_CONNECTOR_CONTROL_). */
export const CONTROL_PLANE: Program<ControlPlaneConfig> = {
  component: 'aip-connector-control-plane',
  failureCode: () => 'aip_connector_control_plane.failed',
  read: readControlPlaneConfig,
  log: (_config, { AIP_LOG_LEVEL: level }) => ({ level }),
  start: startControlPlane,
};

async function startControlPlane(config: ControlPlaneConfig, { log, stopBy }: RunningProgram): Promise<void> {
  const pool = openPool({
    url: followSetting(config.database, { what: 'database address', log }).current,
    max: config.maxConnections,
    acquireTimeoutMs: config.acquireTimeoutMs,
    applicationName: 'aip-control-plane',
  });
  const databaseClock = openDatabaseClock({ db: pool, clock: systemClock });
  const registry = openRegistry({ data: pool, clock: databaseClock.now });
  const key = followSetting(config.key, { what: 'signing key', log });
  const app = controlPlaneApp({
    registry,
    pool,
    key: key.current,
    log,
    clock: databaseClock.now,
    leaseTtlMs: config.leaseTtlMs,
  });
  const server = await listen(app, { ...config.bind, tls: config.tls?.initial });
  if (config.tls) followSetting(config.tls, { what: 'server certificate', log, changed: server.reloadTls });
  log.info(
    { status: 'starting', bind: server.url, signer_did: key.current().did, lifecycle_pool_max: pool.max },
    'control plane listens',
  );
  stopBy([
    { name: 'http', run: () => server.close(DRAIN_MS), boundMs: DRAIN_MS + 500 },
    { name: 'clock', run: databaseClock.stop, boundMs: 1000 },
    { name: 'database', run: () => pool.close(), boundMs: 1000 },
  ]);
}

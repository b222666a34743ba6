import { listen } from '@aip/runtime/internal/http';
import { openDatabaseClock, openPool } from '@aip/runtime/internal/postgres';
import {
  endAtOnceOnSignals,
  followSetting,
  onShutdown,
  openLogger,
  startTelemetry,
  TELEMETRY_STOP_MS,
} from '@aip/runtime/internal/program';
import { systemClock } from '@aip/runtime/internal/protocol';
import { openRegistry } from '@aip/runtime/internal/registry';
import { controlPlaneApp } from './app.js';
import { readControlPlaneConfig } from './config.js';

const DRAIN_MS = 3000;

/** Runs a control plane process until SIGTERM or SIGINT. Throws StartupRefused. */
export async function runControlPlane(environment: NodeJS.ProcessEnv): Promise<void> {
  endAtOnceOnSignals();
  const config = readControlPlaneConfig(environment);
  const log = openLogger({ component: 'aip-connector-control-plane', level: environment.AIP_LOG_LEVEL });
  const stopTelemetry = await startTelemetry(environment, 'aip-connector-control-plane', log);
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
  onShutdown({
    log,
    steps: [
      { name: 'http', run: () => server.close(DRAIN_MS), boundMs: DRAIN_MS + 500 },
      { name: 'clock', run: databaseClock.stop, boundMs: 1000 },
      { name: 'database', run: () => pool.close(), boundMs: 1000 },
      { name: 'telemetry', run: stopTelemetry, boundMs: TELEMETRY_STOP_MS + 500 },
    ],
  });
}

import { type DatabaseClock, openDatabaseClock } from '../../postgres/database-clock.js';
import { migrate } from '../../postgres/migrate.js';
import { connectionsName, openPool, type Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { SigningKey } from '../../protocol/signing.js';
import type { Principal } from '../../protocol/types.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import type { Logger } from '../../transport/process/logger.js';
import { followSetting, type LiveSetting } from '../../transport/settings/live-setting.js';
import type { GatewayConfig } from '../config.js';
import type { HttpEdgeDeps } from '../edge/http-edge.js';
import type { PrincipalsFile } from '../edge/principals-file.js';
import { type Liveness, livenessOf } from '../endpoints/manifest/liveness.js';
import { type Metrics, openMetrics } from '../metrics/metrics.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '../schema/migrations.js';
import { authenticatorOf, principalsOf } from './credentials.js';

/** What /health names as the service. */
export const SERVICE = 'aip-gateway';

/** What every part of a gateway works with: settings, identity, storage, callers. */
export interface GatewayContext {
  readonly config: GatewayConfig;
  readonly log: Logger;
  /** This gateway in its trust domain. */
  readonly principal: Principal;
  /** The key of the fleet, and the gateway as a signer; absent without a fleet. */
  readonly key: LiveSetting<SigningKey> | undefined;
  readonly signer: SignerSource | undefined;
  readonly metrics: Metrics;
  readonly pool: Pool;
  readonly databaseClock: DatabaseClock;
  /** The database's clock: everything that other gateways read and judge is written by it. */
  readonly clock: Clock;
  readonly principals: PrincipalsFile | undefined;
  readonly edge: HttpEdgeDeps;
  readonly liveness: () => Liveness;
}

/** Opens the storage, brings it up to date, and reads who may call. Throws what a part refuses. */
export async function openContext(config: GatewayConfig, log: Logger, ownClock: Clock): Promise<GatewayContext> {
  const startedAt = performance.now();
  const principal = { ...config.principal, trust_domain: config.trustDomain };
  const key = config.fleet && followSetting(config.fleet.key, { what: 'signing key', log });
  const pool = openPool({
    url: followSetting(config.database, { what: 'database address', log }).current,
    max: config.postgresMaxConnections,
    statementTimeoutMs: config.statementTimeoutMs,
    applicationName: connectionsName(SERVICE),
    keepPlans: true,
  });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations, log });
  const databaseClock = openDatabaseClock({ db: pool, clock: ownClock });
  await databaseClock.measured;
  const clock = databaseClock.now;
  const principals =
    config.principalsFile === undefined ? undefined : await principalsOf(config.principalsFile, clock, log);
  return {
    config,
    log,
    principal,
    key,
    signer: key && (() => ({ principal, key: key.current() })),
    metrics: openMetrics(),
    pool,
    databaseClock,
    clock,
    principals,
    edge: { authenticator: authenticatorOf(config, principals, clock, () => key?.current().did), clock, log },
    liveness: () => livenessOf(SERVICE, startedAt),
  };
}

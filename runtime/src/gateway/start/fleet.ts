import { openDatabaseClock } from '../../postgres/database-clock.js';
import { openDocumentStore } from '../../postgres/documents.js';
import { connectionsName, openPool, type Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { openRegistry, type Registry } from '../../registry/registry.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import { openPeerClient } from '../../transport/peer/client.js';
import { destinationPolicy } from '../../transport/peer/destination.js';
import type { Logger } from '../../transport/process/logger.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import type { ReleaseRoutes, StoredRoutes } from '../actions/finish/release.js';
import type { FleetConfig } from '../config.js';
import { type Dispatcher, openDispatcher } from '../dispatch/dispatcher.js';
import { type Ingress, openIngress } from '../ingress/ingress.js';
import { startFleetMaintenance } from '../maintenance/fleet.js';
import { startSharesMaintenance } from '../maintenance/shares.js';
import type { Metrics } from '../metrics/metrics.js';
import type { MetricSources } from '../metrics/sources.js';

/** The gateway's side of the connector fleet. */
export interface FleetConnection {
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  readonly releaseRoutes: ReleaseRoutes;
  readonly storedRoutes: StoredRoutes | undefined;
  readonly ingress: Ingress;
  /** Member `fleet` of GET /ready. */
  readonly state: () => Promise<unknown>;
  readonly metricSources: MetricSources;
  /** Ends the maintenance and the connections to hosts and registry. */
  stop(): Promise<void>;
}

/** What the fleet's side is made of. `pool` is the gateway's own, `clock` that of its database, `signer` its principal with the present key of the fleet. */
export interface FleetOptions {
  readonly config: FleetConfig;
  readonly statementTimeoutMs: number;
  readonly pool: Pool;
  readonly signer: SignerSource;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the registry, the signed client to hosts, the dispatcher, the ingress and the maintenance (docs/protocol/registry.md#scheduler). */
export async function openFleet(options: FleetOptions): Promise<FleetConnection> {
  const { config, pool, signer, metrics, clock, log } = options;
  const data = openPool({
    url: followSetting(config.registryDatabase, { what: 'registry database address', log }).current,
    max: config.dataMaxConnections,
    acquireTimeoutMs: config.acquireTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs,
    applicationName: connectionsName('aip-gateway registry'),
  });
  const own = config.sharesDatabase ? undefined : openDatabaseClock({ db: data, clock });
  await own?.measured;
  // New routes are committed apart from the releases of ended actions: in one transaction, replicas would be locked in no order, and gateways
  // would wait in circles.
  const registry = openRegistry({ data, clock: own?.now ?? clock, shares: config.sharesDatabase ? pool : data });
  await registry.migrate(log);
  const tlsCa = followSetting(config.tlsCa, { what: 'trusted certificates', log });
  const ownDids = followSetting(config.ownDids, { what: 'own DIDs', log });
  const { principal } = signer();
  const peer = openPeerClient({
    key: () => signer().key,
    principal,
    trustDomain: principal.trust_domain as string,
    policy: destinationPolicy({
      hosts: config.allowedHosts,
      allowHttp: config.allowHttp,
      allowPrivate: config.allowPrivateNetworks,
      registryBound: config.trustRegistryEndpoints,
    }),
    timeoutMs: config.timeoutMs,
    maxResponseBytes: config.maxResponseBytes,
    retries: config.retryBudget,
    maxPools: config.maxCachedClients,
    tlsCa: tlsCa.current,
    clock,
  });
  const dispatcher = openDispatcher({
    registry,
    peer,
    scheduler: config.scheduler,
    signer,
    callbackUrl: config.callbackUrl,
    documents: {
      storeOf: (tenantId) => openDocumentStore({ pool, prefix: 'runtime.', clock, tenantId }),
      maxBytes: config.maxDocumentBytes,
    },
    topology: config.topology,
    clock,
    log,
  });
  const ingress = openIngress({
    pool,
    registry,
    signer,
    ownDids: ownDids.current,
    limits: config.ingress,
    clock,
    log,
  });
  const maintenance = startFleetMaintenance({ pool, registry, metrics, clock, log });
  const shares = startSharesMaintenance(registry.allotments, log);
  return {
    registry,
    dispatcher,
    releaseRoutes: (items, client) =>
      client && config.sharesDatabase
        ? registry.routes.settle(items, client)
        : registry.routes.release(items, config.sharesDatabase ? pool : data),
    storedRoutes: config.sharesDatabase ? registry.routes : undefined,
    ingress,
    state: maintenance.fresh,
    metricSources: { registryPools: { data }, remote: () => dispatcher.snapshot(), ingress },
    stop: async () => {
      await maintenance.stop();
      await dispatcher.stop();
      await shares.stop();
      await peer.close();
      own?.stop();
      await data.close();
      tlsCa.close();
      ownDids.close();
    },
  };
}

import { systemClock } from '../protocol/clock.js';
import { AipError } from '../protocol/errors.js';
import type { Program, RunningProgram } from '../transport/program.js';
import { openBackground } from './background.js';
import { type HostConfig, readHostConfig } from './config/config.js';
import { acceptedPolicySource } from './credentials/policy.js';
import { type HealthMonitor, openHealthMonitor } from './health/health.js';
import { storageProbe } from './health/storage-probe.js';
import { openControlClient } from './lease/control-client.js';
import { type KeeperOptions, openLeaseKeeper } from './lease/keeper.js';
import { type Lease, openLease } from './lease/lease.js';
import { obtainLease } from './lease/obtain-lease.js';
import { registrationOf } from './lease/registration.js';
import { openLeaseStore } from './lease/store.js';
import { openLife } from './lifecycle.js';
import { type HostMetrics, newMetrics } from './metrics/metrics.js';
import { awaitOwnName } from './own-name.js';
import { keepPruned } from './pruning.js';
import { type BoundConnector, bindConnector } from './start/connector.js';
import type { HostContext } from './start/context.js';
import { openPeers, type Peers } from './start/peers.js';
import { serve } from './start/serve.js';
import { openStorage, type Storage } from './start/storage.js';
import { type HostWork, openWork } from './start/work.js';
import { stopSteps } from './stop-steps.js';

/** One connector host process for one replica, until SIGTERM or SIGINT (prefix AIP_CONNECTOR_HOST_). */
export const HOST: Program<HostConfig> = {
  component: 'aip-connector-host',
  failureCode: (error) => (error instanceof AipError ? error.code : undefined),
  read: readHostConfig,
  log: ({ logLevel, replicaId, tenant }) => ({
    level: logLevel,
    fields: { replica_id: replicaId, tenant_id: tenant.id },
  }),
  start: startHost,
};

/** The start in the order of docs/protocol/host.md#start. Throws StartupRefused and AipErrors; afterwards the process ends through its signals only. */
async function startHost(config: HostConfig, { environment, log, stopBy }: RunningProgram): Promise<void> {
  const context: HostContext = { config, clock: systemClock, log };
  const bound = await bindConnector(context, environment);
  const credentialPolicy = acceptedPolicySource(config);
  const peers = await openPeers(context);
  const storage = await openStorage(context, bound.principal);

  const metrics = newMetrics();
  const lease = leaseOf(context, bound, peers, storage);
  const life = openLife(lease);
  const work = openWork(context, { bound, peers, storage, lease, life });
  const health = healthOf(context, bound, storage, work);
  const server = await serve(context, { bound, peers, storage, work, life, health, metrics, credentialPolicy });
  const listeningSince = performance.now();
  log.info(
    {
      url: server.url,
      public_endpoint: config.publicEndpoint,
      did: bound.principal.did,
      manifest_digest: bound.manifest.digest,
    },
    'listening',
  );

  const leaseKeeping = keeperOptions(context, { bound, lease, health, work, metrics });
  const keeper = openLeaseKeeper(leaseKeeping);
  const background = openBackground();
  const { running } = work;
  const shutdown = stopBy(
    stopSteps({ config, keeper, running, server, background, storage, peers, listeningSince, life }),
  );
  background.run(storage.countQueued);
  await waitForOwnName(context, shutdown.signal);
  await obtainLease({ ...leaseKeeping, leaseTtlMs: config.leaseTtlMs, signal: shutdown.signal });
  if (shutdown.signal.aborted) return;
  life.enter('leased');
  background.run(keeper.keep);
  background.run(work.publisher.work);
  background.run((signal) => keepPruned({ ...storage, clock: context.clock, log }, signal));
}

function healthOf(
  { config, clock, log }: HostContext,
  bound: BoundConnector,
  { pool }: Storage,
  { running }: HostWork,
): HealthMonitor {
  return openHealthMonitor({
    writeProbe: storageProbe(pool, config.replicaId, clock),
    connector: bound.connector,
    config: bound.config,
    tenant: config.tenant,
    secret: bound.secret,
    isHeldUp: running.isHeldUp,
    timeoutMs: config.healthTimeoutMs,
    log,
  });
}

function leaseOf(
  { config, clock, log }: HostContext,
  { signer }: BoundConnector,
  peers: Peers,
  { pool }: Storage,
): Lease {
  return openLease({
    control: openControlClient({ endpoint: peers.control, controlDids: peers.controlDids, clock }),
    store: openLeaseStore(pool, config.replicaId),
    signer: { key: signer.key, clock },
    clock,
    onUnsaved: (error) => log.warn({ reason: (error as Error).message }, 'the lease could not be stored'),
  });
}

/** What gets and keeps the lease. */
function keeperOptions(
  { config, clock, log }: HostContext,
  parts: { bound: BoundConnector; lease: Lease; health: HealthMonitor; work: HostWork; metrics: HostMetrics },
): KeeperOptions {
  const { bound, lease, health, work, metrics } = parts;
  return {
    lease,
    replicaId: config.replicaId,
    heartbeatMs: config.heartbeatMs,
    registration: () => registrationOf(config, bound.manifest, bound.principal, clock),
    ready: async () => {
      const { storage, connector } = await health.probe();
      return storage.ready && connector.ready;
    },
    inFlight: work.running.inFlight,
    metrics,
    clock,
    log,
  };
}

async function waitForOwnName({ config, log }: HostContext, signal: AbortSignal): Promise<void> {
  const { publicEndpoint, nameWaitMs } = config;
  const named = { public_endpoint: publicEndpoint };
  const waits = (): void =>
    log.info(
      { ...named, at_most_ms: nameWaitMs },
      'DNS does not resolve the public name to this host yet; waiting for it',
    );
  if (await awaitOwnName(publicEndpoint, { waitMs: nameWaitMs, signal, waits })) return;
  log.warn(named, 'DNS does not resolve the public name to this host; registering anyway');
}

import { type HttpServer, listen } from '@aip/runtime/internal/http';
import { migrate, openDatabaseClock, openPool, type Pool } from '@aip/runtime/internal/postgres';
import { waited } from '@aip/runtime/internal/process';
import {
  followSetting,
  type Logger,
  onShutdown,
  openLogger,
  startTelemetry,
  TELEMETRY_STOP_MS,
} from '@aip/runtime/internal/program';
import { systemClock } from '@aip/runtime/internal/protocol';
import { REGISTRY_MIGRATIONS } from '@aip/runtime/internal/registry';
import { Registry as Metrics } from 'prom-client';
import { missingDatabaseRights } from '../../fleet/database-rights.js';
import { openKube } from '../../kube/client/client.js';
import type { KubeSource } from '../../kube/client/credentials.js';
import { openKubeMetrics } from '../../kube/metrics.js';
import { openEventRecorder } from '../../kube/record/events.js';
import { electLeader } from '../../kube/run/leader.js';
import type { TrustSettings } from '../../trust/settings.js';
import { claimRefusal } from '../observed/refusal.js';
import { keepTrust } from '../trust/converge.js';
import { adminApp } from './admin.js';
import { type ControllerConfig, readControllerConfig } from './config.js';
import { lead } from './leader.js';
import { openClusterContext } from './open-context.js';
import { loadQuotaPolicies } from './quota-policies.js';
import { serveControlPlane } from './serve-control-plane.js';

const DRAIN_MS = 3000;
const RETRY_MS = 2000;
/** Time limit of a request for the lease, in ms; shorter than what a leader may be without renewal. */
const LEASE_REQUEST_MS = 5000;
/** How long the leader's work and the lease may take to end, in ms. */
const LEADER_STOP_MS = 8000;

/**
 * Runs a controller process until SIGTERM or SIGINT: the signed control plane and metrics always, the reconcilers while it is the leader. Throws StartupRefused.
 */
export async function runController(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readControllerConfig(environment);
  const log = openLogger({ component: 'aip-controller', level: environment.AIP_LOG_LEVEL });
  const stopTelemetry = await startTelemetry(environment, 'aip-connector-control-plane', log);
  const metrics = new Metrics();
  const kubeMetrics = openKubeMetrics(metrics);
  const hooks = kubeMetrics.transport;
  const source: KubeSource =
    config.kubeconfig === undefined
      ? { inCluster: true, root: config.serviceAccountRoot }
      : { kubeconfig: config.kubeconfig };
  const kube = await openKube(source, { hooks });
  // Renewals of the lease never wait behind other requests.
  const leaseKube = await openKube(source, { timeoutMs: LEASE_REQUEST_MS, hooks });
  let addressChanged = (): void => undefined;
  const database = followSetting(config.database, {
    what: 'database address',
    log,
    changed: () => setImmediate(addressChanged),
  });
  const connections = (max: number): Pool =>
    openPool({
      url: database.current,
      max,
      acquireTimeoutMs: config.acquireTimeoutMs,
      applicationName: 'aip-controller',
    });
  const pool = connections(config.roundConnections);
  const controlPool = connections(config.controlConnections);
  const events = openEventRecorder({ kube, controller: 'fleet.aip.dev/controller', instance: config.identity, log });
  const stopping = new AbortController();
  const { signal } = stopping;
  let control: HttpServer | undefined;
  let leading: ReturnType<typeof electLeader> | undefined;
  // One that does not lead has nothing to hear of.
  let healthy: () => boolean = () => true;

  const admin = await listen(
    adminApp({
      metrics,
      serving: () => control !== undefined,
      leading: () => ({ leader: leading?.isLeader() ?? false, healthy: healthy(), holder: leading?.holder() }),
    }),
    config.adminBind,
  );
  log.info({ admin: admin.url, release: config.release, identity: config.identity }, 'controller starts');
  onShutdown({
    log,
    steps: [
      { name: 'http', run: () => control?.close(DRAIN_MS), boundMs: DRAIN_MS + 500 },
      {
        name: 'leader',
        run: async () => {
          stopping.abort();
          await leading?.ended;
        },
        boundMs: LEADER_STOP_MS,
      },
      { name: 'admin', run: () => admin.close(0), boundMs: 1000 },
      {
        name: 'database',
        run: async () => {
          await Promise.all([pool.close(), controlPool.close()]);
        },
        boundMs: 1000,
      },
      { name: 'events', run: () => events.flush(), boundMs: 1000 },
      {
        name: 'api server',
        run: async () => {
          await Promise.all([kube.close(), leaseKube.close()]);
        },
        boundMs: 1000,
      },
      { name: 'telemetry', run: stopTelemetry, boundMs: TELEMETRY_STOP_MS + 500 },
    ],
  });

  await untilDone('the registry cannot be prepared yet', log, signal, () =>
    migrate(pool, { schema: 'registry', migrations: REGISTRY_MIGRATIONS }),
  );
  if (signal.aborted) return;
  // A fleet of External hosts alone works without these rights, so the controller starts.
  for (const { message, advice } of await missingDatabaseRights(pool))
    log.error({ missing: message, advice }, 'database rights missing');

  // Leases are judged by the clock that gateways and control planes write them by.
  const databaseClock = openDatabaseClock({ db: pool, clock: systemClock });
  signal.addEventListener('abort', databaseClock.stop, { once: true });
  await databaseClock.measured;
  if (signal.aborted) return;

  const settings = trustSettings(config);
  const cluster = openClusterContext(config, { kube, pool, database: database.current, settings, clock: systemClock });
  leading = electLeader({
    kube: leaseKube,
    namespace: config.namespace,
    name: `${config.release}-controller`,
    identity: config.identity,
    signal,
    onChange: kubeMetrics.leader(`${config.release}-controller`),
    log,
    onStart: async (leaderSignal) => {
      log.info({}, 'became leader');
      if (config.quotaPoliciesFile)
        await loadQuotaPolicies(config.quotaPoliciesFile, { pool, clock: databaseClock.now, log });
      await lead(
        {
          cluster,
          watchNamespaces: config.watchNamespaces,
          rules: config,
          events,
          metrics: kubeMetrics,
          workers: config.workers,
          onAddressChange: (listener) => {
            addressChanged = listener;
          },
          began: (is) => {
            healthy = is;
          },
          keepTrust: (view, ended) =>
            keepTrust(
              {
                kube,
                clock: systemClock,
                settings,
                log,
                isAllowed: (instance) =>
                  claimRefusal(instance, view.namespace(instance.metadata.namespace)?.metadata.annotations, config) ===
                  undefined,
              },
              view,
              ended,
            ),
          clock: databaseClock.now,
          log,
        },
        leaderSignal,
      );
    },
  });

  control = await serveControlPlane({
    kube,
    pool: controlPool,
    settings,
    bind: config.controlBind,
    leaseTtlMs: config.leaseTtlMs,
    clock: systemClock,
    log,
    signal,
  });
}

function trustSettings(config: ControllerConfig): TrustSettings {
  const [kind, name] = config.certManagerIssuer?.split('/') ?? [];
  return {
    namespace: config.namespace,
    release: config.release,
    leafNames: {
      'control-plane': { dnsNames: config.controlDnsNames },
      gateway: { dnsNames: config.gatewayDnsNames },
    },
    overlapMs: config.rotationOverlapMs,
    ...(name === undefined ? {} : { certManagerIssuer: { name, kind: kind as 'Issuer' | 'ClusterIssuer' } }),
  };
}

/** Tries again until it works or the signal aborts: the database may be later than the controller. */
async function untilDone(text: string, log: Logger, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      log.warn({ err: error }, text);
      await waited(RETRY_MS, signal);
    }
  }
}

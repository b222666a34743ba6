import type { RequestListener } from 'node:http';
import { openDatabaseClock } from '../postgres/database-clock.js';
import { migrate } from '../postgres/migrate.js';
import { openPool, type Pool } from '../postgres/pool.js';
import { type Clock, systemClock } from '../protocol/clock.js';
import type { Manifest, Principal } from '../protocol/types.js';
import { errorEnvelope, type SignerSource } from '../transport/http/error-response.js';
import { type HttpServer, listen } from '../transport/http/server.js';
import { type Logger, openLogger } from '../transport/process/logger.js';
import { onShutdown, type ShutdownStep } from '../transport/process/shutdown.js';
import { failStart, StartupRefused } from '../transport/process/startup.js';
import { followSetting } from '../transport/settings/live-setting.js';
import { startTelemetry, TELEMETRY_STOP_MS } from '../transport/telemetry/telemetry.js';
import { type Actions, openActions } from './actions/open.js';
import { actionListRoute, actionRoutes } from './actions/routes.js';
import type { ApprovalDeps } from './approvals/answers.js';
import { openApprovals } from './approvals/open.js';
import { approvalRoutes } from './approvals/routes.js';
import { auditRoutes } from './audit/routes.js';
import type { BrokerListener } from './broker/listener.js';
import type { BrokerConfig } from './broker/settings.js';
import { type Callbacks, openCallbacks } from './callbacks/open.js';
import { callbackRoutes } from './callbacks/routes.js';
import { catalogRoutes } from './catalog/routes.js';
import { type GatewayConfig, readConfig } from './config.js';
import { connectDelegations } from './delegations/connect.js';
import type { Delegations } from './delegations/open.js';
import type { EnvelopeAnswerDeps } from './edge/answer-envelope.js';
import { type Authenticator, authenticator } from './edge/authenticate.js';
import { bearerEdge } from './edge/bearer.js';
import { envelopeRoute } from './edge/envelope-route.js';
import { HTTP_COMPONENT, type HttpEdgeDeps } from './edge/http-edge.js';
import { openPrincipalsFile, type PrincipalsFile } from './edge/principals-file.js';
import { type Followers, openFollowers } from './events/follow/followers.js';
import { openTail, type Tail } from './events/log/tail.js';
import { eventsRoutes } from './events/routes.js';
import type { FleetConnection, FleetOptions } from './fleet.js';
import { openChunkSink } from './ingress/chunks/sink.js';
import { ingressRoutes } from './ingress/routes.js';
import { startRetention } from './maintenance/retention.js';
import { type Liveness, livenessOf } from './manifest/liveness.js';
import {
  HEALTH_CAPABILITY_ID,
  healthCapability,
  MAX_REQUEST_BYTES,
  serverManifest,
} from './manifest/server-manifest.js';
import { messageHandler } from './messages.js';
import { type Metrics, openMetrics } from './metrics/metrics.js';
import { metricsRoutes } from './metrics/routes.js';
import { followSources } from './metrics/sources.js';
import { openApiRoutes } from './openapi/routes.js';
import { type Readiness, readinessOf } from './readiness.js';
import { receiptRoutes } from './receipts/routes.js';
import { resourceSource } from './resources/known.js';
import type { ResourceReadDeps } from './resources/read.js';
import { resourceRoutes } from './resources/routes.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from './schema/migrations.js';
import { gatewayListener } from './server.js';
import { serviceRoutes } from './service-routes.js';
import { startSessionExpiry } from './sessions/expiry.js';
import { sessionRoutes } from './sessions/routes.js';
import { stopSteps } from './stop-steps.js';
import { storageProbe } from './storage-probe.js';
import { startReconciler } from './transactions/reconciler.js';
import { transactionRoutes } from './transactions/routes.js';
import { openWebSocketEndpoint, type WebSocketEndpoint } from './websocket/endpoint.js';

/** What /health names as the service. */
const SERVICE = 'aip-gateway';

/**
 * Runs the central server until it is asked to stop: reads the environment (prefix AIP_GATEWAY_), brings the database up
 * to date, starts the worker and the maintenance and listens. A start that must not continue leaves one JSON line on
 * standard error and exit code 1.
 */
export async function runGateway(source: Readonly<Record<string, string | undefined>>): Promise<void> {
  try {
    const config = readConfig(source);
    const log = openLogger({ component: SERVICE, level: config.logLevel });
    const stopTelemetry = await startTelemetry(source, SERVICE, log);
    const gateway = await startGateway(config, log, systemClock);
    const telemetry = { name: 'telemetry', boundMs: TELEMETRY_STOP_MS + 500, run: stopTelemetry };
    onShutdown({ steps: [...gateway.stopSteps, telemetry], log });
    log.info(
      { address: gateway.server.url, service_id: config.principal.id, fleet: config.fleet !== undefined },
      'gateway is listening',
    );
  } catch (error) {
    failStart(error, 'aip.server.gateway');
  }
}

/** A gateway that listens. */
export interface RunningGateway {
  readonly server: HttpServer;
  /** What ends it, in order. */
  readonly stopSteps: readonly ShutdownStep[];
}

/** Starts every part of a gateway in order: storage, fleet, actions, maintenance, HTTP. Throws what a part refuses. */
export async function startGateway(config: GatewayConfig, log: Logger, ownClock: Clock): Promise<RunningGateway> {
  const startedAt = performance.now();
  const liveness = (): Liveness => livenessOf(SERVICE, startedAt);
  const principal = { ...config.principal, trust_domain: config.trustDomain };
  const key = config.fleet && followSetting(config.fleet.key, { what: 'signing key', log });
  const signer: SignerSource | undefined = key && (() => ({ principal, key: key.current() }));
  const metrics = openMetrics();
  const pool = openPool({
    url: followSetting(config.database, { what: 'database address', log }).current,
    max: config.postgresMaxConnections,
    statementTimeoutMs: config.statementTimeoutMs,
    applicationName: SERVICE,
    keepPlans: true,
  });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const databaseClock = openDatabaseClock({ db: pool, clock: ownClock });
  await databaseClock.measured;
  // Everything that other gateways read and judge is written by the clock that they share.
  const clock = databaseClock.now;
  const principals =
    config.principalsFile === undefined ? undefined : await principalsOf(config.principalsFile, clock, log);
  const edge = { authenticator: authenticatorOf(config, principals, clock, () => key?.current().did), clock, log };
  const fleet =
    signer &&
    config.fleet &&
    (await openFleet({
      config: config.fleet,
      statementTimeoutMs: config.statementTimeoutMs,
      pool,
      signer,
      metrics,
      clock,
      log,
    }));
  const callbacks = openCallbacks({ settings: config.callbacks, pool, principal, signer, clock, log });
  const actions = openActions({
    pool,
    clock,
    log,
    gateway: config.principal,
    local: new Map([[HEALTH_CAPABILITY_ID, { capability: healthCapability, run: async () => liveness() }]]),
    registry: fleet?.registry,
    dispatcher: fleet?.dispatcher,
    releaseRoutes: fleet?.releaseRoutes,
    storedRoutes: fleet?.storedRoutes,
    maxReconciliations: config.maxReconciliations,
    callbacks: { admit: callbacks.admit, stored: () => callbacks.deliverer?.wake() },
  });
  const tail = await openTail({ pool, log });
  const retention = startRetention({ pool, registry: fleet?.registry, rules: config.retention, metrics, clock, log });
  const { capabilities, wake } = actions.submit;
  const reconciler = startReconciler({ pool, clock, log, capabilities, wake });
  const approvalOptions = { pool, clock, log, gateway: config.principal, capabilities };
  const approvals = openApprovals({ ...approvalOptions, authority: config.approvalAuthority, principals });
  const delegations = connectDelegations({
    settings: config.delegations,
    broker: config.broker,
    pool,
    clock,
    log,
    gateway: config.principal,
    signer,
    submit: actions.submit,
    callbackStored: () => callbacks.deliverer?.wake(),
  });
  const sessions = startSessionExpiry({ pool, clock, log, gateway: config.principal });
  const stopping = new AbortController();
  let broker: BrokerListener | undefined;
  const readiness = readinessOf({
    storage: storageProbe({ pool, gatewayId: principal.id, clock }),
    worker: actions.worker,
    stopping: () => stopping.signal.aborted,
    clock: { skewMs: databaseClock.skewMs, maxSkewMs: config.maxClockSkewMs },
    fleet: fleet?.state,
    broker: config.broker && { up: () => broker?.up() ?? false },
  });
  followGateway(metrics, readiness, actions, callbacks, fleet);
  const manifest = serverManifest(
    principal,
    config.insecureDevelopment || config.allowUnsigned ? 'supported' : 'required',
    config.broker?.service,
  );
  const resources = resourcesOf(manifest, actions, fleet, clock);
  const answers = answersOf({
    edge,
    pool,
    actions,
    approvals,
    delegations,
    metrics,
    principal,
    signer,
    manifest,
    resources,
  });
  const followers = openFollowers(config.followers);
  const following = { pool, tail, followers };
  const webSocket = openWebSocketEndpoint({ ...edge, ...following, principal, answers, maxBytes: MAX_REQUEST_BYTES });
  const server = await listen(
    leavingWhen(
      stopping.signal,
      httpListener({
        edge,
        pool,
        actions,
        approvals,
        tail,
        followers,
        metrics,
        fleet,
        answers,
        resources,
        webSocket,
        manifest,
        liveness,
        readiness,
      }),
    ),
    {
      ...config.bind,
      tls: config.tls?.initial,
      upgrades: webSocket.upgrades,
      unreadable: async (error) => {
        const { status, envelope } = await errorEnvelope(error, { clock, component: HTTP_COMPONENT });
        return { status, body: envelope };
      },
      maxUnfinishedBodyBytes: config.maxUnfinishedBodyBytes,
    },
  );
  broker = config.broker && (await listenOnBroker(config.broker, answers, edge, log));
  const tls = config.tls && followSetting(config.tls, { what: 'server certificate', log, changed: server.reloadTls });
  const steps = stopSteps({
    drainMs: config.drainMs,
    server,
    refuse: () => stopping.abort(),
    endFollowers: async () => {
      broker?.drain();
      await tail.close();
      webSocket.close();
    },
    endActions: async (graceMs) => {
      await Promise.all([actions.stop(graceMs), broker?.close(graceMs)]);
    },
    endPasses: async () => {
      const passes = [retention, approvals, sessions, reconciler, callbacks, delegations];
      await Promise.all(passes.map((pass) => pass.stop()));
      await fleet?.stop();
    },
    close: async () => {
      tls?.close();
      key?.close();
      databaseClock.stop();
      await pool.close();
    },
  });
  return { server, stopSteps: steps };
}

/** The listener, which from the signal on asks whoever calls to close the connection: the next one leads to another gateway. */
function leavingWhen(signal: AbortSignal, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (signal.aborted) response.setHeader('connection', 'close');
    listener(request, response);
  };
}

/** What the queries for resources need. */
function resourcesOf(
  manifest: Manifest,
  { submit }: Actions,
  fleet: FleetConnection | undefined,
  clock: Clock,
): ResourceReadDeps {
  const resources = resourceSource(manifest.resources ?? [], fleet?.registry);
  return { resources, submit, routes: fleet?.registry.routes, clock };
}

/** How envelopes are answered, whatever transport brings them. */
function answersOf(parts: {
  edge: HttpEdgeDeps;
  pool: Pool;
  actions: Actions;
  approvals: ApprovalDeps;
  delegations: Delegations;
  metrics: Metrics;
  principal: Principal;
  signer: SignerSource | undefined;
  manifest: Manifest;
  resources: ResourceReadDeps;
}): EnvelopeAnswerDeps {
  const { edge, pool, actions, approvals, delegations, metrics, principal, signer, manifest, resources } = parts;
  const { submit, cancel, claim } = actions;
  const { capabilities } = submit;
  const sessions = { pool, clock: edge.clock, gateway: cancel.gateway, manifest, capabilities };
  const deps = {
    pool,
    clock: edge.clock,
    submit,
    cancel,
    approvals,
    sessions,
    delegations,
    claim,
    manifest,
    resources,
    chunks: openChunkSink({ pool, clock: edge.clock }),
  };
  return {
    ...edge,
    principal,
    signer,
    handle: messageHandler(deps),
    received: (messageType, key) => {
      metrics.envelopeReceived(messageType);
      if (key === 'action') metrics.count('aip_actions_total');
    },
  };
}

/** The request listener over all routes of this server. */
function httpListener(parts: {
  edge: HttpEdgeDeps;
  pool: Pool;
  actions: Actions;
  approvals: ApprovalDeps;
  tail: Tail;
  followers: Followers;
  metrics: Metrics;
  fleet: FleetConnection | undefined;
  answers: EnvelopeAnswerDeps;
  resources: ResourceReadDeps;
  webSocket: WebSocketEndpoint;
  manifest: Manifest;
  liveness: () => Liveness;
  readiness: () => Promise<Readiness>;
}): RequestListener {
  const { edge, pool, actions, approvals, tail, followers, metrics, fleet, manifest, liveness, readiness } = parts;
  const envelopes = { ...edge, ...parts.answers, maxBytes: MAX_REQUEST_BYTES };
  const actionDeps = { ...edge, pool, cancel: actions.cancel };
  return gatewayListener({
    ...edge,
    messages: envelopeRoute(envelopes, 'bearer_or_signature'),
    actions: envelopeRoute(envelopes, 'bearer'),
    actionList: actionListRoute(actionDeps),
    routers: [
      serviceRoutes({ ...edge, liveness, readiness, manifest }),
      metricsRoutes({ ...edge, metrics }),
      ingressRoutes({ ...edge, ingress: fleet?.ingress, metrics }),
      eventsRoutes({ ...edge, pool, tail, followers }),
      actionRoutes(actionDeps),
      approvalRoutes({ ...edge, ...approvals }),
      sessionRoutes({ ...edge, pool }),
      receiptRoutes({ ...edge, pool }),
      transactionRoutes({ ...edge, pool }),
      callbackRoutes({ ...edge, pool }),
      auditRoutes({ ...edge, pool }),
      resourceRoutes({ ...edge, ...parts.resources }),
      parts.webSocket.router,
      openApiRoutes(edge),
      catalogRoutes({ ...edge, registry: fleet?.registry }),
    ],
  });
}

/** Lets the metrics follow readiness, worker and fleet. */
function followGateway(
  metrics: Metrics,
  readiness: () => Promise<Readiness>,
  { worker, reconciliations }: Actions,
  { deliverer }: Callbacks,
  fleet: FleetConnection | undefined,
): void {
  followSources(metrics, {
    readiness: async () => {
      const { status, gateway, supervisor } = await readiness();
      const brokerUp = supervisor.nats_required ? { brokerListenerUp: supervisor.nats_listener_running } : {};
      return {
        ready: status === 'ready',
        gatewayReady: gateway.ready,
        workerUp: supervisor.runtime_worker_running,
        ...brokerUp,
      };
    },
    reconciliations,
    callbacks: deliverer?.permits,
    ...fleet?.metricSources,
  });
  worker.onTurn((claimed) => {
    metrics.count('aip_runtime_worker_cycles_total');
    metrics.count('aip_runtime_worker_claimed_actions_total', claimed);
  });
}

/** The broker's client is loaded only where one is configured. */
async function listenOnBroker(
  config: BrokerConfig,
  answers: EnvelopeAnswerDeps,
  { authenticator: callers }: HttpEdgeDeps,
  log: Logger,
): Promise<BrokerListener> {
  const tlsCa = followSetting(config.tlsCa, { what: 'trusted certificates of the broker', log });
  const { startBrokerListener } = await import('./broker/listener.js');
  return startBrokerListener({ config, tlsCa: tlsCa.current, answers, authenticator: callers, name: SERVICE });
}

/** The fleet's parts are loaded only where one is configured. */
async function openFleet(options: FleetOptions): Promise<FleetConnection> {
  return (await import('./fleet.js')).openFleet(options);
}

function authenticatorOf(
  config: GatewayConfig,
  principals: PrincipalsFile | undefined,
  clock: Clock,
  ownDid: () => string | undefined,
): Authenticator {
  return authenticator({
    edge: bearerEdge({ credential: config.credential, principals, clock }),
    signers: config.signers,
    self: () => {
      const did = ownDid();
      return { ...config.principal, trust_domain: config.trustDomain, ...(did === undefined ? {} : { did }) };
    },
    allowUnsigned: config.allowUnsigned,
    ...(config.insecureDevelopment && {
      development: config.principal,
      developmentTenantId: config.developmentTenantId,
    }),
    clock,
  });
}

async function principalsOf(path: string, clock: Clock, log: Logger) {
  try {
    return await openPrincipalsFile({
      path,
      clock,
      onInvalid: (error) =>
        log.error({ reason: error.message }, 'the principals file is not valid; the last valid one stays in force'),
    });
  } catch (error) {
    throw new StartupRefused('aip.server.config', `the principals file is refused: ${(error as Error).message}`);
  }
}

import { loadConnector } from '../connectors/load.js';
import { checkConfig } from '../connectors/sdk/config.js';
import { openDocumentStore } from '../postgres/documents.js';
import { systemClock } from '../protocol/clock.js';
import { AipError } from '../protocol/errors.js';
import { MAX_LIFECYCLE_BYTES } from '../protocol/limits.js';
import { signingKeyFromSeed } from '../protocol/signing.js';
import { listen } from '../transport/http/server.js';
import { openLogger } from '../transport/process/logger.js';
import { onShutdown } from '../transport/process/shutdown.js';
import { failStart, StartupRefused } from '../transport/settings/env.js';
import { followSetting } from '../transport/settings/live-setting.js';
import { startTelemetry, TELEMETRY_STOP_MS } from '../transport/telemetry/telemetry.js';
import { approvalJournal } from './approvals/journal.js';
import { centralEndpoint } from './central/central-endpoint.js';
import { openEndpointClient } from './central/endpoint-client.js';
import { type HostConfig, readHostConfig } from './config/config.js';
import { connectorSettings } from './config/connector-settings.js';
import { withOptions } from './config/options.js';
import { acceptedPolicySource } from './credentials/policy.js';
import { openHostDatabase } from './database.js';
import { openEventLog } from './event-log/event-log.js';
import { openChunkStreams } from './execution/chunk-stream.js';
import { openExecutor } from './execution/executor.js';
import { openRunningActions } from './execution/running.js';
import { hostIdentity } from './gate/facts.js';
import { openHealthMonitor } from './health/health.js';
import { isReady, type Recovery, readyBody } from './health/readiness.js';
import { storageProbe } from './health/storage-probe.js';
import { openDurableState } from './journal/durable-state.js';
import { openJournal } from './journal/journal.js';
import { openControlClient } from './lease/control-client.js';
import { type KeeperOptions, openLeaseKeeper } from './lease/keeper.js';
import { openLease } from './lease/lease.js';
import { obtainLease } from './lease/obtain-lease.js';
import { registrationOf } from './lease/registration.js';
import { openLeaseStore } from './lease/store.js';
import { bindManifest, hostPrincipal } from './manifest/bind-manifest.js';
import { metricsText, newMetrics } from './metrics/metrics.js';
import { openOutbox } from './outbox/outbox.js';
import { openEventPublisher } from './outbox/publisher.js';
import { awaitOwnName } from './own-name.js';
import { keepPruned } from './pruning.js';
import { openSecrets, secretNames } from './secrets.js';
import { messageHandler } from './server/messages.js';
import { hostRoutes } from './server/routes.js';
import { stopSteps } from './stop-steps.js';
import { openWebhook, webhookProvider, webhookRoutes } from './webhook/open.js';

/**
 * `aip-runtime host [options]`: one connector host process for one replica, until SIGTERM or SIGINT. A start that must not continue leaves one
 * JSON line {code, message} on standard error and exit code 1.
 */
export async function runHost(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    const source = withOptions(args, env);
    await startHost(readHostConfig(source), source);
  } catch (error) {
    failStart(error instanceof AipError ? new StartupRefused(error.code, withCause(error), { cause: error }) : error);
  }
}

/** The message of an error with that of its cause, as when the database gives no connection; both without secrets. */
function withCause({ message, cause }: AipError): string {
  const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
  return why ? `${message}: ${why}` : message;
}

/** The start in the order of docs/protocol/host.md#start. Throws StartupRefused and AipErrors; afterwards the process ends through its signals only. */
async function startHost(config: HostConfig, source: Readonly<Record<string, string | undefined>>): Promise<void> {
  const clock = systemClock;
  const log = openLogger({ component: 'aip-connector-host', level: config.logLevel }).child({
    replica_id: config.replicaId,
    tenant_id: config.tenant.id,
  });
  const stopTelemetry = await startTelemetry(source, 'aip-connector-host', log);
  const key = signingKeyFromSeed(config.signingSeed);
  const connector = await loadConnector(config.connector);
  const given = connectorSettings(connector.environment, source, config);
  const connectorConfig = checkConfig(connector, given.config);
  const facts = { secretFiles: secretNames(given.secrets) };
  const connectorManifest = connector.manifest(connectorConfig, facts);
  const handlers = new Map(connector.capabilities(connectorConfig, facts).map((each) => [each.record.id, each]));
  const secret = openSecrets(given.secrets);
  const provider = webhookProvider(connector, facts, { config, secret, log });
  const principal = hostPrincipal(connectorManifest, config.trustDomain, key.did);
  const bound = bindManifest(connectorManifest, principal);
  const signer = { principal, key };
  const credentialPolicy = acceptedPolicySource(config);

  const tlsCa = followSetting(config.tlsCa, { what: 'trusted certificates', log });
  const controlDids = followSetting(config.controlDids, { what: 'control plane DIDs', log });
  const gatewayDids = followSetting(config.gatewayDids, { what: 'gateway DIDs', log });
  const central = { principal: config.gateway, dids: gatewayDids.current };
  const endpoints = {
    control: openEndpointClient({
      url: config.controlEndpoint,
      allowHttp: true,
      allowPrivate: true,
      timeoutMs: config.controlTimeoutMs,
      maxResponseBytes: MAX_LIFECYCLE_BYTES,
      tlsCa: tlsCa.current,
    }),
    callback: await centralEndpoint(config.callback, tlsCa.current, log),
    events: await centralEndpoint(config.events, tlsCa.current, log),
  };

  const database = followSetting(config.database, { what: 'database address', log });
  const pool = await openHostDatabase(database.current, config.databaseConnections);
  const { instanceId, replicaId } = config;
  const journal = openJournal({ pool, instanceId, replicaId, clock, durability: config.journalDurability });
  const origin = { principal, tenantId: config.tenant.id, instanceId, replicaId, versionId: config.versionId };
  const documents = openDocumentStore({ pool, prefix: '', clock });
  const outbox = openOutbox({ pool, publisher: origin, clock });
  const events = openEventLog({ pool, instanceId, clock });
  const health = openHealthMonitor({
    writeProbe: storageProbe(pool, replicaId, clock),
    connector,
    config: connectorConfig,
    tenant: config.tenant,
    secret,
    timeoutMs: config.healthTimeoutMs,
    log,
  });
  const recovery: Recovery = {
    recoveredAt: clock(),
    queuedResults: await journal.unfinished(),
    callbackDeliveries: (await outbox.counts()).pending,
  };

  const metrics = newMetrics();
  const running = openRunningActions(config.maxInFlight);
  const lease = openLease({
    control: openControlClient({ endpoint: endpoints.control, controlDids: controlDids.current, clock }),
    store: openLeaseStore(pool, replicaId),
    signer: { key, clock },
    clock,
    onUnsaved: (error) => log.warn({ reason: (error as Error).message }, 'the lease could not be stored'),
  });
  let draining = false;
  let obtained = false;
  /** A lease of a former life does not count before it was confirmed. */
  const leaseValid = (): boolean => obtained && lease.valid();
  const conditions = () => ({ draining, leaseValid: leaseValid(), health: health.state });

  const publisher = openEventPublisher({
    endpoint: endpoints.events,
    outbox,
    config,
    central,
    manifest: bound.manifest,
    manifestDigest: bound.digest,
    signer,
    leaseSequence: () => (leaseValid() ? lease.record.sequence : undefined),
    clock,
    log,
  });
  const executor = openExecutor({
    config,
    connectorType: connector.type,
    connectorConfig,
    secret,
    capabilities: bound.capabilities,
    handlers,
    journal,
    running,
    state: openDurableState(pool, instanceId),
    documents,
    publishEvents: (channel, events) => publisher.publish(channel, events),
    openChunks: openChunkStreams({ endpoint: endpoints.callback, central, signer, clock }),
    clock,
    log,
  });
  const messages = messageHandler({
    host: hostIdentity(config, principal, bound),
    situation: () => ({
      draining,
      leaseValid: leaseValid(),
      storageReady: health.state.storage.ready,
      connectorReady: health.state.connector.ready,
      freeSlots: running.free(),
      gatewayDids: gatewayDids.current(),
    }),
    leaseOnItsWay: () => !draining && !leaseValid() && (!obtained || lease.record.pending !== undefined),
    credentialPolicy,
    importApproval: approvalJournal(pool, instanceId, clock),
    executor,
    running,
    signer,
    documents,
    metrics,
    maxBodyBytes: config.maxBodyBytes,
    clock,
    log,
    onStorageFault: () => void health.probe(),
  });

  const webhook = provider && openWebhook(provider, { config, facts, secret, pool, events, publisher, clock, log });

  const server = await listen(
    hostRoutes({
      ready: async () => {
        await health.probe();
        const now = conditions();
        const staged = now.health.storage.ready ? await outbox.counts().catch(() => undefined) : undefined;
        return { status: isReady(now) ? 200 : 503, body: readyBody(now, recovery, staged, webhook?.counts) };
      },
      metrics: () =>
        metricsText(metrics, {
          ready: isReady(conditions()),
          storageReady: health.state.storage.ready,
          inFlight: running.inFlight(),
        }),
      manifest: JSON.stringify(bound.manifest),
      messages,
      ...(webhook && { webhooks: webhookRoutes(webhook, config.webhook.pathPrefix) }),
    }),
    { ...config.bind, tls: config.tls?.initial, maxUnfinishedBodyBytes: config.maxUnfinishedBodyBytes },
  );
  const listeningSince = performance.now();
  if (config.tls) followSetting(config.tls, { what: 'server certificate', log, changed: server.reloadTls });
  log.info(
    { url: server.url, public_endpoint: config.publicEndpoint, did: key.did, manifest_digest: bound.digest },
    'listening',
  );

  const keeperOptions: KeeperOptions = {
    lease,
    replicaId,
    heartbeatMs: config.heartbeatMs,
    registration: () => registrationOf(config, bound, principal, clock),
    ready: async () => {
      const { storage, connector: provider } = await health.probe();
      return storage.ready && provider.ready;
    },
    inFlight: running.inFlight,
    metrics,
    clock,
    log,
  };
  const keeper = openLeaseKeeper(keeperOptions);
  const ending = new AbortController();
  const background: Promise<void>[] = [];
  const shutdown = onShutdown({
    log,
    steps: [
      ...stopSteps({
        config,
        keeper,
        running,
        server,
        ending,
        background,
        pool,
        listeningSince,
        endpoints: Object.values(endpoints).filter((endpoint) => endpoint !== undefined),
        refuse: () => {
          draining = true;
        },
      }),
      { name: 'telemetry', boundMs: TELEMETRY_STOP_MS + 500, run: stopTelemetry },
    ],
  });

  const { publicEndpoint, nameWaitMs } = config;
  if (!(await awaitOwnName(publicEndpoint, { waitMs: nameWaitMs, signal: shutdown.signal })))
    log.warn(
      { public_endpoint: publicEndpoint },
      'DNS does not resolve the public name to this host; registering anyway',
    );
  await obtainLease({ ...keeperOptions, leaseTtlMs: config.leaseTtlMs, signal: shutdown.signal });
  if (shutdown.signal.aborted) return;
  obtained = true;
  background.push(
    keeper.keep(ending.signal),
    publisher.work(ending.signal),
    keepPruned({ journal, outbox, events, documents, clock, log }, ending.signal),
  );
}

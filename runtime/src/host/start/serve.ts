import { type HttpServer, listen } from '../../transport/http/server.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import { approvalJournal } from '../approvals/journal.js';
import type { CredentialPolicySource } from '../credentials/policy.js';
import { hostIdentity } from '../gate/facts.js';
import type { HealthMonitor } from '../health/health.js';
import { type Conditions, isReady, readyBody } from '../health/readiness.js';
import type { HostLife } from '../lifecycle.js';
import { type HostMetrics, metricsText } from '../metrics/metrics.js';
import { messageHandler } from '../server/messages.js';
import { hostRoutes } from '../server/routes.js';
import { openWebhook, webhookRoutes } from '../webhook/open.js';
import type { BoundConnector } from './connector.js';
import type { HostContext } from './context.js';
import type { Peers } from './peers.js';
import type { Storage } from './storage.js';
import type { HostWork } from './work.js';

/** What the listener of a host answers from. */
export interface Served {
  bound: BoundConnector;
  peers: Peers;
  storage: Storage;
  work: HostWork;
  life: HostLife;
  health: HealthMonitor;
  metrics: HostMetrics;
  credentialPolicy: CredentialPolicySource;
}

/** Starts the listener: messages of gateways, health, metrics, the manifest, and webhook deliveries where there is a secret for them. */
export async function serve(context: HostContext, parts: Served): Promise<HttpServer> {
  const { config, clock, log } = context;
  const { bound, storage, work, life, health, metrics } = parts;
  const { pool, events, outbox, recovery } = storage;
  const { publisher } = work;
  const webhook =
    bound.webhook &&
    openWebhook(bound.webhook, {
      config,
      facts: bound.facts,
      secret: bound.secret,
      pool,
      events,
      publisher,
      clock,
      log,
    });
  const conditions = (): Conditions => ({
    draining: life.draining(),
    leaseValid: life.leaseValid(),
    health: health.state,
  });
  const server = await listen(
    hostRoutes({
      ready: async () => {
        await health.probe();
        const now = conditions();
        const staged = now.health.storage.ready ? await outbox.counts().catch(() => undefined) : undefined;
        return { status: isReady(now) ? 200 : 503, body: readyBody(now, recovery(), staged, webhook?.counts) };
      },
      metrics: () =>
        metricsText(metrics, {
          ready: isReady(conditions()),
          storageReady: health.state.storage.ready,
          inFlight: work.running.inFlight(),
        }),
      manifest: JSON.stringify(bound.manifest.manifest),
      messages: messagesOf(context, parts),
      ...(webhook && { webhooks: webhookRoutes(webhook, config.webhook.pathPrefix) }),
    }),
    {
      ...config.bind,
      tls: config.tls?.initial,
      maxUnfinishedBodyBytes: config.maxUnfinishedBodyBytes,
      maxAnsweredBodyBytes: config.maxAnsweredBodyBytes,
    },
  );
  if (config.tls) followSetting(config.tls, { what: 'server certificate', log, changed: server.reloadTls });
  return server;
}

function messagesOf({ config, clock, log }: HostContext, parts: Served): ReturnType<typeof messageHandler> {
  const { bound, peers, storage, work, life, health, metrics, credentialPolicy } = parts;
  const { running, executor } = work;
  return messageHandler({
    host: hostIdentity(config, bound.principal, bound.manifest),
    situation: () => ({
      draining: life.draining(),
      leaseValid: life.leaseValid(),
      storageReady: health.state.storage.ready,
      connectorReady: health.state.connector.ready,
      freeSlots: running.free(),
      gatewayDids: peers.central.dids(),
    }),
    leaseOnItsWay: life.leaseOnItsWay,
    credentialPolicy,
    importApproval: approvalJournal(storage.pool, config.instanceId, clock),
    executor,
    running,
    signer: bound.signer,
    documents: storage.documents,
    metrics,
    maxBodyBytes: config.maxBodyBytes,
    clock,
    log,
    onStorageFault: () => void health.probe(),
  });
}

import { errorEnvelope } from '../../transport/http/error-response.js';
import { type HttpServer, listen } from '../../transport/http/server.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import { findAction } from '../actions/read/find.js';
import type { EnvelopeAnswerDeps } from '../edge/answer-envelope.js';
import { HTTP_COMPONENT } from '../edge/http-edge.js';
import type { BrokerListener } from '../endpoints/broker/listener.js';
import { MAX_REQUEST_BYTES } from '../endpoints/manifest/server-manifest.js';
import { readinessOf } from '../endpoints/service/readiness.js';
import { storageProbe } from '../endpoints/service/storage-probe.js';
import { openWebSocketEndpoint, type WebSocketEndpoint } from '../endpoints/websocket/endpoint.js';
import { openFollowers } from '../events/follow/followers.js';
import { answersOf, manifestOf, resourcesOf } from './answers.js';
import { type GatewayContext, SERVICE } from './context.js';
import { httpListener, type ListenerParts } from './listener.js';
import { followGateway } from './metrics.js';
import type { GatewayWork } from './work.js';

/** A gateway's ways in. */
export interface Serving {
  readonly server: HttpServer;
  readonly webSocket: WebSocketEndpoint;
  readonly broker: BrokerListener | undefined;
  /** From here on the gateway is not ready, and asks whoever calls to come back over another connection. */
  refuse(): void;
  /** Stops following the server's certificate. */
  close(): void;
}

/** Serves HTTP, WebSocket and, where one is configured, the broker. */
export async function serve(context: GatewayContext, work: GatewayWork): Promise<Serving> {
  const { config, log } = context;
  const stopping = new AbortController();
  let broker: BrokerListener | undefined;
  const readiness = readinessOf({
    storage: storageProbe({ pool: context.pool, gatewayId: context.principal.id, clock: context.clock }),
    worker: work.actions.worker,
    stopping: () => stopping.signal.aborted,
    clock: { skewMs: context.databaseClock.skewMs, maxSkewMs: config.maxClockSkewMs },
    fleet: work.fleet?.state,
    broker: config.broker && { up: () => broker?.up() ?? false },
  });
  followGateway(context, work, readiness);
  const manifest = manifestOf(context);
  const resources = resourcesOf(context, work, manifest);
  const answers = answersOf(context, work, manifest, resources);
  const followers = openFollowers(config.followers);
  const webSocket = openWebSocketEndpoint({
    findAction,
    ...context.edge,
    pool: context.pool,
    tail: work.tail,
    followers,
    principal: context.principal,
    answers,
    maxBytes: MAX_REQUEST_BYTES,
    connections: config.webSockets,
  });
  const parts = { manifest, resources, answers, followers, webSocket, readiness };
  const server = await listenOnHttp(context, work, parts);
  broker = await listenOnBroker(context, answers);
  const tls = config.tls && followSetting(config.tls, { what: 'server certificate', log, changed: server.reloadTls });
  const refuse = (): void => {
    stopping.abort();
    server.leave();
  };
  return { server, webSocket, broker, refuse, close: () => tls?.close() };
}

function listenOnHttp(context: GatewayContext, work: GatewayWork, parts: ListenerParts): Promise<HttpServer> {
  const { config, clock } = context;
  return listen(httpListener(context, work, parts), {
    ...config.bind,
    tls: config.tls?.initial,
    upgrades: parts.webSocket.upgrades,
    unreadable: async (error) => {
      const { status, envelope } = await errorEnvelope(error, { clock, component: HTTP_COMPONENT });
      return { status, body: envelope };
    },
    maxUnfinishedBodyBytes: config.maxUnfinishedBodyBytes,
    maxAnsweredBodyBytes: config.maxAnsweredBodyBytes,
  });
}

/** The broker's client is loaded only where one is configured. */
async function listenOnBroker(
  { config: { broker: config }, edge, log }: GatewayContext,
  answers: EnvelopeAnswerDeps,
): Promise<BrokerListener | undefined> {
  if (!config) return undefined;
  const tlsCa = followSetting(config.tlsCa, { what: 'trusted certificates of the broker', log });
  const { startBrokerListener } = await import('../endpoints/broker/listener.js');
  return startBrokerListener({
    config,
    tlsCa: tlsCa.current,
    answers,
    authenticator: edge.authenticator,
    name: SERVICE,
  });
}

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Router } from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import { AipError, NotAuthorized } from '../../../protocol/errors.js';
import { budgetOf } from '../../../transport/http/body-budget.js';
import { errorEnvelope } from '../../../transport/http/error-response.js';
import { answerRaw } from '../../../transport/http/raw-answer.js';
import type { Upgrades } from '../../../transport/http/server.js';
import { openCallerShares, type ShareLimits } from '../../claims/caller-shares.js';
import type { EnvelopeAnswerDeps } from '../../edge/answer-envelope.js';
import { contextOf, HTTP_COMPONENT, type HttpEdgeDeps, jsonRoute, pathOf, serve } from '../../edge/http-edge.js';
import type { Identity } from '../../edge/identity.js';
import { readQuery } from '../../edge/query-parameters.js';
import { serveConnection } from './connection.js';
import type { SubscriptionDeps } from './subscription.js';
import { countUnfinishedFrames } from './unfinished-frames.js';

/** The path of the WebSocket route. */
export const WEBSOCKET_PATH = '/aip/v1/ws';
/** Close code of a server that stops. */
const GOING_AWAY = 1001;
/** How often the kernel asks an idle peer whether it is still there, in milliseconds. */
const TCP_KEEP_ALIVE_MS = 30_000;

/** The WebSocket route of a gateway. */
export interface WebSocketEndpoint {
  readonly upgrades: Upgrades;
  /** Answers requests to the path that are no upgrade: 426 in the error form. */
  readonly router: Router;
  /** Asks every peer to connect elsewhere, each after its subscriptions ended. Call it when nothing can be followed any more. */
  close(): Promise<void>;
}

/** What the endpoint needs. `maxBytes` bounds one inbound frame. */
export interface WebSocketDeps extends HttpEdgeDeps, SubscriptionDeps {
  readonly answers: EnvelopeAnswerDeps;
  readonly maxBytes: number;
  readonly connections: ShareLimits;
}

/** Opens GET /aip/v1/ws: the upgrade needs a bearer, as every ergonomic route does. */
export function openWebSocketEndpoint(deps: WebSocketDeps): WebSocketEndpoint {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: deps.maxBytes,
    perMessageDeflate: false,
    autoPong: false,
  });
  const places = openCallerShares(
    deps.connections,
    ({ scope, limit }) =>
      new AipError(
        'ws.connections_exceeded',
        `the ${scope} has ${limit} WebSocket connections open already; close one`,
        {
          details: { scope, limit },
        },
      ),
  );
  /** What waits for the end of the subscriptions of each peer. */
  const ends = new WeakMap<WebSocket, () => Promise<void>>();
  server.on(
    'wsClientError',
    (_error, socket, request) => void refuse(deps, request, socket, new AipError('http.upgrade_required')),
  );

  const take = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    try {
      const { authorization } = request.headers;
      const authenticate = () => deps.authenticator.bearer(authorization);
      const caller = await authenticate();
      checkOrigin(request, caller);
      readQuery(request.url ?? '', {});
      const leave = places.enter(caller);
      socket.once('close', leave);
      if (socket.destroyed) leave();
      request.socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      server.handleUpgrade(request, socket, head, (peer) => {
        countUnfinishedFrames(peer, socket, budgetOf(request));
        const answering = (bytes: number) => budgetOf(request).answer(bytes, caller.tenantId ?? caller.principal.id);
        const subscriptionsEnd = serveConnection(
          { ...deps, authenticate, answering, context: contextOf(request) },
          peer,
        );
        ends.set(peer, subscriptionsEnd);
      });
    } catch (error) {
      await refuse(deps, request, socket, error);
    }
  };

  const router = Router();
  const get = jsonRoute(deps, async () => {
    throw new AipError('http.upgrade_required');
  });
  serve(router, deps, WEBSOCKET_PATH, { get });
  return {
    upgrades: {
      accepts: (request) =>
        request.method === 'GET' &&
        request.headers.upgrade?.toLowerCase() === 'websocket' &&
        pathOf(request) === WEBSOCKET_PATH,
      take: (request, socket, head) => {
        socket.on('error', () => socket.destroy());
        void take(request, socket, head);
      },
    },
    router,
    close: async () => {
      const leave = async (peer: WebSocket): Promise<void> => {
        await ends.get(peer)?.();
        peer.close(GOING_AWAY, 'the gateway stops; connect again');
      };
      await Promise.all([...server.clients].map(leave));
    },
  };
}

/** The loopback identity needs no token, so a page of another site in a browser here must not use it. */
function checkOrigin({ headers }: IncomingMessage, identity: Identity): void {
  const { origin, host } = headers;
  if (identity.scheme !== 'development' || origin === undefined) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host)
    throw new NotAuthorized('the development identity is not open to pages of other sites');
}

/** Answers an upgrade that is refused with a complete error envelope and closes the connection. */
async function refuse(deps: HttpEdgeDeps, request: IncomingMessage, socket: Duplex, error: unknown): Promise<void> {
  const { status, envelope } = await errorEnvelope(error, { clock: deps.clock, component: HTTP_COMPONENT });
  deps.log.debug({ request_id: contextOf(request).requestId, status }, 'websocket upgrade refused');
  const upgrade: Record<string, string> = status === 426 ? { upgrade: 'websocket', 'sec-websocket-version': '13' } : {};
  answerRaw(socket, status, envelope, upgrade);
}

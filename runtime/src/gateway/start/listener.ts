import type { RequestListener } from 'node:http';
import type { Manifest } from '../../protocol/types.js';
import { findAction } from '../actions/read/find.js';
import { actionListRoute, actionRoutes } from '../actions/routes.js';
import { approvalRoutes } from '../approvals/routes.js';
import { callbackRoutes } from '../callbacks/routes.js';
import type { EnvelopeAnswerDeps } from '../edge/answer-envelope.js';
import { envelopeRoute } from '../edge/envelope-route.js';
import { catalogRoutes } from '../endpoints/catalog/routes.js';
import { MAX_REQUEST_BYTES } from '../endpoints/manifest/server-manifest.js';
import { openApiRoutes } from '../endpoints/openapi/routes.js';
import type { ResourceReadDeps } from '../endpoints/resources/read.js';
import { resourceRoutes } from '../endpoints/resources/routes.js';
import type { Readiness } from '../endpoints/service/readiness.js';
import { serviceRoutes } from '../endpoints/service/routes.js';
import type { WebSocketEndpoint } from '../endpoints/websocket/endpoint.js';
import type { Followers } from '../events/follow/followers.js';
import { eventsRoutes } from '../events/routes.js';
import { ingressRoutes } from '../ingress/routes.js';
import { metricsRoutes } from '../metrics/routes.js';
import { auditRoutes } from '../records/audit/routes.js';
import { receiptRoutes } from '../records/receipts/routes.js';
import { sessionRoutes } from '../sessions/routes.js';
import { transactionRoutes } from '../transactions/routes.js';
import type { GatewayContext } from './context.js';
import { gatewayListener } from './server.js';
import type { GatewayWork } from './work.js';

/** What the listener needs beside context and work. */
export interface ListenerParts {
  readonly manifest: Manifest;
  readonly resources: ResourceReadDeps;
  readonly answers: EnvelopeAnswerDeps;
  readonly followers: Followers;
  readonly webSocket: WebSocketEndpoint;
  readonly readiness: () => Promise<Readiness>;
}

/** The request listener over all routes of this server. */
export function httpListener(context: GatewayContext, work: GatewayWork, parts: ListenerParts): RequestListener {
  const { edge, pool, metrics, liveness } = context;
  const { actions, approvals, tail, fleet } = work;
  const { manifest, readiness, followers } = parts;
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
      eventsRoutes({ ...edge, pool, tail, followers, findAction }),
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
      catalogRoutes({ ...edge, pool, registry: fleet?.registry }),
    ],
  });
}

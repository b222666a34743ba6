import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { AipError, QueryInvalid } from '../../protocol/errors.js';
import { answerError, contextOf, type HttpEdgeDeps, serve } from '../edge/http-edge.js';

/** A raw HTTP handler. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The parts of the server. */
export interface ServerParts extends HttpEdgeDeps {
  /** POST /aip/v1/messages and POST /aip/v1/actions: they carry the load and are served without the router. */
  readonly messages: RawHandler;
  readonly actions: RawHandler;
  /** GET /aip/v1/actions. */
  readonly actionList: RequestHandler;
  readonly routers: readonly Router[];
}

/**
 * The request listener of the central server: the two envelope paths, then the routers, then 404 in the error form
 * (D-12).
 */
export function gatewayListener(parts: ServerParts): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const edge = express.Router({ caseSensitive: true, strict: true });
  serve(edge, parts, '/aip/v1/messages', { post: (request, response) => parts.messages(request, response) });
  serve(edge, parts, '/aip/v1/actions', {
    get: parts.actionList,
    post: (request, response) => parts.actions(request, response),
  });
  app.use(edge);
  for (const router of parts.routers) app.use(router);
  app.use((request, response) =>
    answerError(parts, request, response, contextOf(request), new AipError('http.not_found')),
  );
  const failed: ErrorRequestHandler = (error, request, response, _next) => {
    // The router refuses a path whose percent-encoding is malformed.
    const known = error instanceof URIError ? new QueryInvalid('the path is not well-formed') : error;
    return answerError(parts, request, response, contextOf(request), known);
  };
  app.use(failed);
  return (request, response) => {
    if (request.method === 'POST' && request.url === '/aip/v1/messages') void parts.messages(request, response);
    else if (request.method === 'POST' && request.url === '/aip/v1/actions') void parts.actions(request, response);
    else app(request, response);
  };
}

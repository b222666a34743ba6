import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../../protocol/clock.js';
import { AipError, aipErrorOf } from '../../protocol/errors.js';
import { RequestAborted } from '../../transport/http/body.js';
import { sendError, sendJson } from '../../transport/http/error-response.js';
import { parseTraceparent } from '../../transport/telemetry/trace-context.js';
import type { Authenticator } from './authenticate.js';
import type { Identity } from './identity.js';
import type { RequestContext } from './request-context.js';

/** The name that answers of the HTTP edge carry as source.component. */
export const HTTP_COMPONENT = 'aip.server.http';

/** What every HTTP route needs. */
export interface HttpEdgeDeps {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An authenticated JSON route: what it returns is the body of a 200. */
export type JsonRoute = (request: Request, identity: Identity, context: RequestContext) => Promise<unknown>;

/** The methods of one path. */
export type Methods = Partial<Record<'get' | 'post', RequestHandler>>;

/**
 * An ergonomic route (docs/protocol/client-api.md#routes): authenticates by bearer, answers the returned value as JSON and
 * every failure as a complete error envelope.
 */
export function jsonRoute(deps: HttpEdgeDeps, route: JsonRoute): RequestHandler {
  return async (request, response) => {
    const context = contextOf(request);
    try {
      const identity = await deps.authenticator.bearer(request.headers.authorization);
      sendJson(response, 200, await route(request, identity, context));
    } catch (error) {
      await answerError(deps, request, response, context, error);
    }
  };
}

/** Serves a path by its methods; every other method answers 405 http.method_not_allowed with Allow (D-12). */
export function serve(router: Router, deps: HttpEdgeDeps, path: string, methods: Methods): void {
  const route = router.route(path);
  if (methods.get) route.get(methods.get);
  if (methods.post) route.post(methods.post);
  const allowed = [...(methods.get ? ['GET', 'HEAD'] : []), ...(methods.post ? ['POST'] : [])];
  route.all(async (request, response) => {
    response.setHeader('allow', allowed.join(', '));
    await answerError(deps, request, response, contextOf(request), new AipError('http.method_not_allowed'));
  });
}

/**
 * Answers a failure as an error envelope and logs it: server faults as warnings with their cause, refusals for
 * debugging.
 */
export async function answerError(
  deps: Pick<HttpEdgeDeps, 'clock' | 'log'>,
  request: IncomingMessage,
  response: Response | Parameters<typeof sendError>[0],
  context: RequestContext,
  error: unknown,
): Promise<void> {
  if (error instanceof RequestAborted) return;
  const known = aipErrorOf(error);
  const fields = { request_id: context.requestId, method: request.method, path: pathOf(request), code: known.code };
  if (known.status >= 500) deps.log.warn({ ...fields, err: known.cause ?? known }, 'request failed');
  else deps.log.debug(fields, 'request refused');
  await sendError(response, error, { clock: deps.clock, component: HTTP_COMPONENT });
}

/** What the transport knows about a request beside its envelope. */
export function contextOf(request: IncomingMessage): RequestContext {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  return { requestId, trace: parseTraceparent(request.headers.traceparent) };
}

/** The path of a request without its query, which may name persons. */
export function pathOf(request: IncomingMessage): string {
  const url = (request as Request).originalUrl ?? request.url ?? '';
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

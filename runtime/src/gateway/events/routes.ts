import type { IncomingMessage } from 'node:http';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Pool } from '../../postgres/pool.js';
import { aipErrorOf } from '../../protocol/errors.js';
import { sendJson } from '../../transport/http/error-response.js';
import { answerError, contextOf, type HttpEdgeDeps, serve } from '../edge/http-edge.js';
import type { Identity } from '../edge/identity.js';
import {
  cursorText,
  flag,
  identifier,
  list,
  type Parameter,
  pathId,
  readQuery,
  rows,
} from '../edge/query-parameters.js';
import { actionEventsText, eventStreamText } from './answers.js';
import { follow } from './follow/follow.js';
import type { Followers } from './follow/followers.js';
import { sharedFrames, type WriteFrames } from './follow/shared-frames.js';
import { PeerGone, sseSink } from './follow/sse-sink.js';
import type { Tail } from './log/tail.js';
import { type EventQuery, type FindAction, openStream, readStream } from './queries.js';

export const GLOBAL = {
  cursor: cursorText,
  limit: rows,
  kind: identifier,
  kinds: list(identifier),
  follow: flag,
} satisfies Record<string, Parameter<unknown>>;

export const ACTION = { ...GLOBAL, tenant_id: identifier, include_chunks: flag } satisfies Record<
  string,
  Parameter<unknown>
>;

export const CHUNKS = { tenant_id: identifier, cursor: cursorText, limit: rows, follow: flag } satisfies Record<
  string,
  Parameter<unknown>
>;

/** What the event routes need. */
export interface EventRoutesDeps extends HttpEdgeDeps {
  readonly pool: Pool;
  readonly findAction: FindAction;
  readonly tail: Tail;
  readonly followers: Followers;
}

/** What its streams need besides. */
interface StreamDeps extends EventRoutesDeps {
  readonly frames: WriteFrames;
}

/** What was asked: a page, or with `follow` a stream. */
interface Asked {
  readonly query: EventQuery;
  readonly follow: boolean;
}

/**
 * GET /aip/v1/events, /aip/v1/actions/{action_id}/events and /aip/v1/actions/{action_id}/chunks (docs/protocol/client-api.md#following): a JSON
 * page, or with follow=true a text/event-stream. A stream answers 200 once the caller, the path and the parameters are
 * good; every later failure is its last frame, aip.error.
 */
export function eventsRoutes(deps: EventRoutesDeps): Router {
  const router = Router();
  const streams: StreamDeps = { ...deps, frames: sharedFrames() };
  serve(router, deps, '/aip/v1/events', {
    get: eventsRoute(streams, (request) => {
      const { kind, kinds, follow, ...query } = readQuery(request.originalUrl, GLOBAL);
      return { follow: follow === true, query: { route: 'events', ...query, kinds: merged(kind, kinds) } };
    }),
  });
  serve(router, deps, '/aip/v1/actions/:action_id/events', {
    get: eventsRoute(streams, (request) => {
      const { kind, kinds, follow, cursor, limit, tenant_id, include_chunks } = readQuery(request.originalUrl, ACTION);
      const query = {
        route: 'action_events',
        actionId: actionIdOf(request),
        tenantId: tenant_id,
        cursor,
        limit,
      } as const;
      return {
        follow: follow === true,
        query: { ...query, kinds: merged(kind, kinds), includeChunks: include_chunks },
      };
    }),
  });
  serve(router, deps, '/aip/v1/actions/:action_id/chunks', {
    get: eventsRoute(streams, (request) => {
      const { tenant_id, cursor, limit, follow } = readQuery(request.originalUrl, CHUNKS);
      const query = {
        route: 'action_chunks',
        actionId: actionIdOf(request),
        tenantId: tenant_id,
        cursor,
        limit,
      } as const;
      return { follow: follow === true, query };
    }),
  });
  return router;
}

function eventsRoute(deps: StreamDeps, read: (request: Request) => Asked): RequestHandler {
  return async (request, response) => {
    const context = contextOf(request);
    try {
      const identity = await deps.authenticator.bearer(request.headers.authorization);
      const asked = read(request);
      const query = { ...asked.query, lastEventId: lastEventId(request) };
      if (asked.follow) await stream(deps, identity, query, request, response);
      else sendJson(response, 200, await pageText(deps, identity, query));
    } catch (error) {
      await answerError(deps, request, response, context, error);
    }
  };
}

async function pageText(deps: EventRoutesDeps, identity: Identity, query: EventQuery): Promise<string> {
  const stream = await openStream(deps, identity, query);
  const { page, cursor } = await readStream(deps, stream);
  if (query.actionId === undefined) return eventStreamText(page, cursor);
  return actionEventsText(query.actionId, page, cursor, stream.selection.chunks);
}

async function stream(
  deps: StreamDeps,
  identity: Identity,
  query: EventQuery,
  request: Request,
  response: Response,
): Promise<void> {
  const place = deps.followers.admit(identity);
  const sink = sseSink(response);
  sink.gone.addEventListener('abort', place.leave, { once: true });
  try {
    if (request.method !== 'HEAD') {
      const opened = await openStream(deps, identity, query);
      await follow(deps, { stream: opened, form: deps.frames, sink }, place.turn);
    }
    sink.end();
  } catch (error) {
    if (!(error instanceof PeerGone))
      deps.log.debug(
        { code: aipErrorOf(error).code, route: query.route, action_id: query.actionId },
        'stream ended early',
      );
    sink.fail(error);
  } finally {
    place.leave();
  }
}

/** The two spellings of the kind filter together. */
function merged(kind: string | undefined, kinds: readonly string[] | undefined): readonly string[] | undefined {
  return kind === undefined ? kinds : [kind, ...(kinds ?? [])];
}

function lastEventId(request: IncomingMessage): string | undefined {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' ? header : undefined;
}

function actionIdOf(request: Request): string {
  return pathId(String(request.params.action_id), 'action_id', 'action');
}

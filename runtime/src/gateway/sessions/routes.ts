import { type Request, type RequestHandler, Router } from 'express';
import { AipError, QueryInvalid } from '../../protocol/errors.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../edge/http-edge.js';
import type { Identity } from '../edge/identity.js';
import { readOptionalTexts } from '../edge/optional-body.js';
import { cursorText, identifier, type Parameter, pathId, readQuery, rows, word } from '../edge/query-parameters.js';
import { closeSession } from './close.js';
import { findSession } from './find.js';
import type { SessionDeps } from './handshake.js';
import { listSessions } from './list.js';
import { resumeSession } from './resume.js';
import { SESSION_STATES } from './states.js';

/** The parameters of GET /aip/v1/sessions (docs/protocol/client-api.md#answers). */
export const LIST = {
  principal_id: identifier,
  status: word(SESSION_STATES),
  cursor: cursorText,
  limit: rows,
} satisfies Record<string, Parameter<unknown>>;

/** What the session routes need. */
export type SessionRoutesDeps = HttpEdgeDeps & Pick<SessionDeps, 'pool'>;

/**
 * GET /aip/v1/sessions and /aip/v1/sessions/{session_id}; POST …/close and …/resume, also as {session_id}:close and {session_id}:resume.
 */
export function sessionRoutes(deps: SessionRoutesDeps): Router {
  const router = Router();
  serve(router, deps, '/aip/v1/sessions', {
    get: jsonRoute(deps, (request, identity) => {
      const { principal_id, ...query } = readQuery(request.originalUrl, LIST);
      return listSessions(deps.pool, identity, { principalId: principal_id, ...query }, deps.clock());
    }),
  });
  serve(router, deps, '/aip/v1/sessions/:session_id', {
    get: jsonRoute(deps, (request, identity) => {
      const sessionId = sessionIdOf(String(request.params.session_id));
      readQuery(request.originalUrl, {});
      return findSession(deps.pool, identity, sessionId, deps.clock());
    }),
    post: suffixRoute(deps),
  });
  for (const name of ['close', 'resume'] as const)
    serve(router, deps, `/aip/v1/sessions/:session_id/${name}`, {
      post: jsonRoute(deps, (request, identity) =>
        OPERATIONS[name](deps, identity, sessionIdOf(String(request.params.session_id)), request),
      ),
    });
  return router;
}

const OPERATIONS = {
  close: async (deps: SessionRoutesDeps, identity: Identity, sessionId: string, request: Request): Promise<unknown> => {
    readQuery(request.originalUrl, {});
    const { reason } = await readOptionalTexts(request, ['reason']);
    if (reason?.trim() === '') throw new AipError('envelope.decode.invalid', 'reason must not be blank');
    return closeSession(deps, identity, sessionId, reason);
  },

  resume: async (
    deps: SessionRoutesDeps,
    identity: Identity,
    sessionId: string,
    request: Request,
  ): Promise<unknown> => {
    readQuery(request.originalUrl, {});
    const { resume_token, last_event_cursor } = await readOptionalTexts(request, ['resume_token', 'last_event_cursor']);
    const resume = { sessionId, resumeToken: resume_token, lastEventCursor: last_event_cursor };
    return resumeSession(deps, identity, resume);
  },
};

/** POST /aip/v1/sessions/{session_id}:close and :resume; any other POST to a session is none of its methods. */
function suffixRoute(deps: SessionRoutesDeps): RequestHandler {
  const run = jsonRoute(deps, (request, identity) => {
    const [, id = '', name] = /^(.*):(close|resume)$/s.exec(String(request.params.session_id)) ?? [];
    if (name === undefined) {
      request.res?.setHeader('allow', 'GET, HEAD');
      throw new AipError('http.method_not_allowed', 'POST to a session ends with :close or :resume');
    }
    return OPERATIONS[name as keyof typeof OPERATIONS](deps, identity, sessionIdOf(id), request);
  });
  return run;
}

/** A session id of a path: one with a colon would be a suffix. */
function sessionIdOf(text: string): string {
  if (text.includes(':'))
    throw new QueryInvalid('session_id must not hold a colon', { details: { parameter: 'session_id' } });
  return pathId(text, 'session_id', 'session');
}

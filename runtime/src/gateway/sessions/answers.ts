import type { Envelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import type { Bodies, Body } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { closeSession } from './close.js';
import { findSession } from './find.js';
import { openSession, type SessionDeps } from './handshake.js';
import { listSessions } from './list.js';
import { resumeSession } from './resume.js';

type Deps = { readonly sessions: SessionDeps };

/** The answers to the bodies about sessions. */
export const SESSION_ANSWERS = {
  handshake: async ({ sessions }: Deps, identity: Identity, body: Bodies['handshake']): Promise<Body> => ({
    handshake_response: await openSession(sessions, identity, body),
  }),

  session_request: async (
    { sessions }: Deps,
    identity: Identity,
    body: Bodies['session_request'],
    envelope: Envelope,
  ): Promise<Body> => {
    checkSession(body, envelope);
    return { session_view: await findSession(sessions.pool, identity, body.session_id, sessions.clock()) };
  },

  session_list_request: async (
    { sessions }: Deps,
    identity: Identity,
    body: Bodies['session_list_request'],
  ): Promise<Body> => {
    const { principal_id, ...query } = body;
    return {
      session_list: await listSessions(
        sessions.pool,
        identity,
        { principalId: principal_id, ...query },
        sessions.clock(),
      ),
    };
  },

  session_close_request: async (
    { sessions }: Deps,
    identity: Identity,
    body: Bodies['session_close_request'],
    envelope: Envelope,
  ): Promise<Body> => {
    checkSession(body, envelope);
    return { session_view: await closeSession(sessions, identity, body.session_id, body.reason) };
  },

  session_resume_request: async (
    { sessions }: Deps,
    identity: Identity,
    body: Bodies['session_resume_request'],
    envelope: Envelope,
  ): Promise<Body> => {
    checkSession(body, envelope);
    const { session_id, resume_token, last_event_cursor } = body;
    const request = { sessionId: session_id, resumeToken: resume_token, lastEventCursor: last_event_cursor };
    return { session_resume: await resumeSession(sessions, identity, request) };
  },
};

/** The session of the body and that of the envelope are one. Throws `auth.session_mismatch`. */
function checkSession(body: { readonly session_id: string }, envelope: Envelope): void {
  if (envelope.session_id !== undefined && envelope.session_id !== body.session_id)
    throw new AipError('auth.session_mismatch');
}

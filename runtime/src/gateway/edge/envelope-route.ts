import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../../protocol/json.js';
import { CALLER_PACE, RequestAborted, readBody } from '../../transport/http/body.js';
import { budgetOf, SIGNING_SENDERS } from '../../transport/http/body-budget.js';
import { sendErrorJson, sendJson } from '../../transport/http/error-response.js';
import { NO_TURN } from '../../transport/http/turns.js';
import { unverifiedTurn } from '../../transport/http/unverified.js';
import { type ArrivingEnvelope, answerEnvelope, type EnvelopeAnswerDeps } from './answer-envelope.js';
import { contextOf, HTTP_COMPONENT, type HttpEdgeDeps, pathOf } from './http-edge.js';
import type { Identity } from './identity.js';

/** What the envelope routes need. */
export interface EnvelopeRouteDeps extends HttpEdgeDeps, EnvelopeAnswerDeps {
  readonly maxBytes: number;
}

/** The two paths that take an envelope. `bearer` needs a bearer before anything is read (D-01). */
export type EnvelopeAuthentication = 'bearer' | 'bearer_or_signature';

/** POST /aip/v1/messages and POST /aip/v1/actions: one envelope is answered with one (docs/protocol/errors.md#form). */
export function envelopeRoute(deps: EnvelopeRouteDeps, authentication: EnvelopeAuthentication) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    let early: Identity | undefined;
    let answered = (): void => undefined;
    let turn = NO_TURN;
    const arriving: ArrivingEnvelope = {
      read: async () => {
        early =
          authentication === 'bearer'
            ? await deps.authenticator.bearer(authorization)
            : await deps.authenticator.presented(authorization);
        const pace = early ? CALLER_PACE : undefined;
        const text = await readBody(request, deps.maxBytes, { json: true, pace });
        const bytes = Buffer.byteLength(text);
        answered = budgetOf(request).answer(bytes, callerOf(early));
        if (!early) turn = await unverifiedTurn(request, bytes);
        return turn.parse(() => parseJson(text));
      },
      authenticate: async (envelope) => early ?? deps.authenticator.envelope(authorization, envelope).finally(turn.end),
      component: HTTP_COMPONENT,
      context: contextOf(request),
      span: {
        name: `POST ${pathOf(request)}`,
        attributes: { 'http.request.method': 'POST', 'http.route': pathOf(request) },
      },
    };
    try {
      const { status, envelope, error } = await answerEnvelope(deps, arriving);
      if (error === undefined) sendJson(response, status, envelope);
      else sendErrorJson(response, status, envelope, error);
    } catch (error) {
      if (!(error instanceof RequestAborted)) throw error;
    } finally {
      turn.end();
      answered();
    }
  };
}

/** Whose large bodies count together: those of a tenant, and those of all senders that sign. */
function callerOf(identity: Identity | undefined): string {
  return identity ? (identity.tenantId ?? identity.principal.id) : SIGNING_SENDERS;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type BodyKey,
  bodyKey,
  checkEnvelopeRules,
  decodeEnvelope,
  type Envelope,
  replyEnvelope,
  signEnvelope,
} from '../../protocol/envelope.js';
import { aipErrorOf } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import type { Principal } from '../../protocol/types.js';
import { RequestAborted, readBody } from '../../transport/http/body.js';
import { errorEnvelope, type SignerSource, sendErrorJson, sendJson } from '../../transport/http/error-response.js';
import { contextOf, HTTP_COMPONENT, type HttpEdgeDeps, pathOf } from './http-edge.js';
import type { Identity } from './identity.js';
import type { RequestContext } from './request-context.js';

/** Answers one decoded envelope of an authenticated caller with a body. */
export type MessageHandler = (
  identity: Identity,
  envelope: Envelope,
  context: RequestContext,
) => Promise<Envelope['body']>;

/** What the envelope routes need. */
export interface EnvelopeRouteDeps extends HttpEdgeDeps {
  readonly handle: MessageHandler;
  /** Whom answers come from. */
  readonly principal: Principal;
  /** Signs every answer to a decoded envelope, when the gateway has a key. */
  readonly signer: SignerSource | undefined;
  readonly maxBytes: number;
  /** Told of every decoded envelope, for the traffic metrics. */
  readonly received: (messageType: string, key: BodyKey) => void;
}

/** The two paths that take an envelope. `bearer` needs a bearer before anything is read (D-01). */
export type EnvelopeAuthentication = 'bearer' | 'bearer_or_signature';

/**
 * POST /aip/v1/messages and POST /aip/v1/actions: reads, decodes, authenticates, hands over, and answers with one
 * complete envelope that is correlated to the request and signed. A failure before the decoding answers with an
 * unsigned error envelope of its own (docs/protocol/actions.md#order-of-acceptance).
 */
export function envelopeRoute(deps: EnvelopeRouteDeps, authentication: EnvelopeAuthentication) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context = contextOf(request);
    const { authorization } = request.headers;
    let envelope: Envelope | undefined;
    try {
      const early = authentication === 'bearer' ? await deps.authenticator.bearer(authorization) : undefined;
      const text = await readBody(request, deps.maxBytes, { json: true });
      const decoded = decodeEnvelope(parseJson(text));
      checkEnvelopeRules(decoded);
      const identity = early ?? (await deps.authenticator.envelope(authorization, decoded));
      envelope = boundTo(identity, decoded);
      deps.received(envelope.message_type, bodyKey(envelope));
      const body = await deps.handle(identity, envelope, context);
      sendJson(response, 200, await reply(deps, envelope, body));
    } catch (error) {
      if (error instanceof RequestAborted) return;
      logFailure(deps, request, context, envelope, error);
      const options = { clock: deps.clock, component: HTTP_COMPONENT, request: envelope, signer: deps.signer?.() };
      const answer = await errorEnvelope(error, options);
      sendErrorJson(response, answer.status, answer.envelope, error);
    }
  };
}

/** The envelope with the sender that the server established; a verified signer is the sender already. */
function boundTo({ principal, scheme }: Identity, envelope: Envelope): Envelope {
  return scheme === 'did_proof' ? envelope : { ...envelope, from: { id: principal.id, kind: principal.kind } };
}

async function reply(deps: EnvelopeRouteDeps, request: Envelope, body: Envelope['body']): Promise<Envelope> {
  const { clock } = deps;
  const signer = deps.signer?.();
  const answer = replyEnvelope(request, body, { clock, from: signer?.principal ?? deps.principal });
  return signer ? signEnvelope(answer, signer.principal, signer.key) : answer;
}

function logFailure(
  deps: EnvelopeRouteDeps,
  request: IncomingMessage,
  context: RequestContext,
  envelope: Envelope | undefined,
  error: unknown,
): void {
  const known = aipErrorOf(error);
  const fields = {
    request_id: context.requestId,
    path: pathOf(request),
    code: known.code,
    message_type: envelope?.message_type,
    message_id: envelope?.message_id,
  };
  if (known.status >= 500) deps.log.warn({ ...fields, err: known.cause ?? known }, 'message failed');
  else deps.log.debug(fields, 'message refused');
}

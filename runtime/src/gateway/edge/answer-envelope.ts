import type { Logger } from 'pino';
import type { Clock } from '../../protocol/clock.js';
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
import type { Principal } from '../../protocol/types.js';
import { RequestAborted } from '../../transport/http/body.js';
import { errorEnvelope, type SignerSource } from '../../transport/http/error-response.js';
import type { Identity } from './identity.js';
import type { RequestContext } from './request-context.js';

/** Answers one decoded envelope of an authenticated caller with a body. */
export type MessageHandler = (
  identity: Identity,
  envelope: Envelope,
  context: RequestContext,
) => Promise<Envelope['body']>;

/** What answering envelopes needs, whatever brought them. */
export interface EnvelopeAnswerDeps {
  readonly handle: MessageHandler;
  /** The sender of answers. */
  readonly principal: Principal;
  /** Signs every answer to a decoded envelope, when the gateway has a key. */
  readonly signer: SignerSource | undefined;
  /** Called for every decoded envelope, for the traffic metrics. */
  readonly received: (messageType: string, key: BodyKey) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One arriving envelope. */
export interface ArrivingEnvelope {
  /** The parsed JSON. Throws what makes it unreadable. */
  read(): Promise<unknown>;
  /** Establishes the caller; never by what the transport carries beside the envelope. */
  authenticate(envelope: Envelope): Promise<Identity>;
  /** Name of the part that answers, written into errors. */
  readonly component: string;
  readonly context: RequestContext;
}

/** The answer to an envelope. `error` is what was thrown, when the answer is an error. */
export interface EnvelopeAnswer {
  readonly envelope: Envelope;
  readonly status: number;
  readonly error?: unknown;
}

/**
 * Reads, decodes, authenticates, handles, and answers with one complete envelope that is correlated to the request and
 * signed. A failure before the decoding answers with an unsigned error envelope of its own. Every transport uses it, so
 * that one body has one meaning on all of them. Throws RequestAborted when the sender is gone.
 */
export async function answerEnvelope(deps: EnvelopeAnswerDeps, arriving: ArrivingEnvelope): Promise<EnvelopeAnswer> {
  let envelope: Envelope | undefined;
  try {
    const decoded = decodeEnvelope(await arriving.read());
    checkEnvelopeRules(decoded);
    const identity = await arriving.authenticate(decoded);
    envelope = boundTo(identity, decoded);
    deps.received(envelope.message_type, bodyKey(envelope));
    const body = await deps.handle(identity, envelope, arriving.context);
    return { status: 200, envelope: await reply(deps, envelope, body) };
  } catch (error) {
    if (error instanceof RequestAborted) throw error;
    logFailure(deps.log, arriving, envelope, error);
    const { clock } = deps;
    const options = { clock, component: arriving.component, request: envelope, signer: deps.signer?.() };
    return { ...(await errorEnvelope(error, options)), error };
  }
}

/** The envelope with the sender that the server established; a verified signer is the sender already. */
function boundTo({ principal, scheme }: Identity, envelope: Envelope): Envelope {
  return scheme === 'did_proof' ? envelope : { ...envelope, from: { id: principal.id, kind: principal.kind } };
}

async function reply(deps: EnvelopeAnswerDeps, request: Envelope, body: Envelope['body']): Promise<Envelope> {
  const signer = deps.signer?.();
  const answer = replyEnvelope(request, body, { clock: deps.clock, from: signer?.principal ?? deps.principal });
  return signer ? signEnvelope(answer, signer.principal, signer.key) : answer;
}

function logFailure(
  log: Logger,
  { component, context }: ArrivingEnvelope,
  envelope: Envelope | undefined,
  error: unknown,
): void {
  const known = aipErrorOf(error);
  const fields = {
    request_id: context.requestId,
    component,
    code: known.code,
    message_type: envelope?.message_type,
    message_id: envelope?.message_id,
  };
  if (known.status >= 500) log.warn({ ...fields, err: known.cause ?? known }, 'message failed');
  else log.debug(fields, 'message refused');
}

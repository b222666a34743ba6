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
import { type Attributes, type Span, traced } from '../../transport/telemetry/telemetry.js';
import { type TraceContext, traceOfAction } from '../../transport/telemetry/trace-context.js';
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
  /** The span of the request; default: a message of the component. */
  readonly span?: { readonly name: string; readonly attributes: Attributes } | undefined;
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
  const startedAt = Date.now();
  let decoded: Envelope;
  try {
    decoded = decodeEnvelope(await arriving.read());
  } catch (error) {
    return failureOf(deps, arriving, undefined, error);
  }
  const { context, component } = arriving;
  const { name, attributes } = arriving.span ?? { name: component, attributes: {} };
  const start = { parent: callerOf(decoded, context), startedAt, attributes: { ...attributes, ...fieldsOf(decoded) } };
  return traced(name, { kind: 'server', ...start }, async (span) => {
    const trace = span.context ? { ...span.context, own: true } : context.trace;
    const answer = await answerDecoded(deps, { ...arriving, context: { ...context, trace } }, decoded);
    markAnswer(span, answer, arriving.span !== undefined);
    return answer;
  });
}

async function answerDecoded(
  deps: EnvelopeAnswerDeps,
  arriving: ArrivingEnvelope,
  decoded: Envelope,
): Promise<EnvelopeAnswer> {
  let envelope: Envelope | undefined;
  try {
    checkEnvelopeRules(decoded);
    const identity = await arriving.authenticate(decoded);
    envelope = boundTo(identity, decoded);
    deps.received(envelope.message_type, bodyKey(envelope));
    const body = await deps.handle(identity, envelope, arriving.context);
    return { status: 200, envelope: await reply(deps, envelope, body) };
  } catch (error) {
    return failureOf(deps, arriving, envelope, error);
  }
}

async function failureOf(
  deps: EnvelopeAnswerDeps,
  arriving: ArrivingEnvelope,
  envelope: Envelope | undefined,
  error: unknown,
): Promise<EnvelopeAnswer> {
  if (error instanceof RequestAborted) throw error;
  logFailure(deps.log, arriving, envelope, error);
  const { clock } = deps;
  const options = { clock, component: arriving.component, request: envelope, signer: deps.signer?.() };
  return { ...(await errorEnvelope(error, options)), error };
}

/** The caller's span: what an action names wins over the transport's, as in the action that is stored. */
function callerOf({ body }: Envelope, { trace }: RequestContext): TraceContext | undefined {
  const { action } = body as { action?: Parameters<typeof traceOfAction>[0] };
  return (action && traceOfAction(action)) ?? trace;
}

function fieldsOf({ message_id, message_type, session_id, body }: Envelope): Attributes {
  const { action } = body as { action?: { id: string; capability_id: string } };
  return {
    'aip.message_id': message_id,
    'aip.message_type': message_type,
    'aip.session_id': session_id,
    'aip.action_id': action?.id,
    'aip.capability_id': action?.capability_id,
  };
}

function markAnswer(span: Span, { status, error }: EnvelopeAnswer, http: boolean): void {
  if (http) span.set({ 'http.response.status_code': status });
  if (error === undefined) return;
  const { code } = aipErrorOf(error);
  span.set({ 'error.type': code, 'aip.error_code': code });
  if (status >= 500) span.fail(code);
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

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../protocol/clock.js';
import { cutText } from '../../protocol/content/cut-text.js';
import { type Envelope, newEnvelope, replyEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { type AipError, aipErrorOf, Unauthorized } from '../../protocol/errors.js';
import type { SigningKey } from '../../protocol/signing.js';
import type { Principal, ProtocolError } from '../../protocol/types.js';
import { isLeftUnread } from './body.js';
import { jsonPieces, writePieces } from './streamed-json.js';

const MAX_MESSAGE_BYTES = 1024;

/** Who signs an answer. */
export interface Signer {
  principal: Principal;
  key: SigningKey;
}

/** Who signs now: a rotation changes what the next call gives, so one message takes one signer. */
export type SignerSource = () => Signer;

/** What an error answer is made of besides the error. */
export interface ErrorContext {
  clock: Clock;
  /** Name of the part that answers, written as `source.component`. */
  component?: string | undefined;
  /** The decoded request, when one exists: the answer is correlated to it (docs/protocol/client-api.md#answers). */
  request?: Envelope | undefined;
  /** Signs the answer; used only together with `request`. When signing fails the answer leaves unsigned. */
  signer?: Signer | undefined;
}

/** The one mapping of a thrown value to a complete error envelope and its HTTP status (docs/protocol/errors.md). */
export async function errorEnvelope(
  error: unknown,
  context: ErrorContext,
): Promise<{ status: number; envelope: Envelope }> {
  const known = aipErrorOf(error);
  const body = { error: { error: bounded(known.toProtocolError(context.component)) } };
  const { request, signer, clock } = context;
  if (!request) return { status: known.status, envelope: newEnvelope(body, {}, { clock }) };
  const reply = replyEnvelope(request, body, { clock, ...(signer && { from: signer.principal }) });
  if (!signer) return { status: known.status, envelope: reply };
  const signed = await signEnvelope(reply, signer.principal, signer.key).catch(() => reply);
  return { status: known.status, envelope: signed };
}

/** The one mapping of a thrown value to the direct error object `{"error":{code, message, category, retryable, …}}`. */
export function directError(error: unknown): { status: number; body: { error: ProtocolError } } {
  const known: AipError = aipErrorOf(error);
  return { status: known.status, body: { error: bounded(known.toProtocolError()) } };
}

/** Answers with a complete error envelope; does nothing when the answer has begun or the caller is gone. */
export async function sendError(response: ServerResponse, error: unknown, context: ErrorContext): Promise<void> {
  const { status, envelope } = await errorEnvelope(error, context);
  sendErrorJson(response, status, envelope, error);
}

/** Answers with the direct error object; does nothing when the answer has begun or the caller is gone. */
export function sendDirectError(response: ServerResponse, error: unknown): void {
  const { status, body } = directError(error);
  sendErrorJson(response, status, body, error);
}

/** Answers with the JSON of an error; Retry-After, in whole seconds, goes beside its retry_after_ms. */
export function sendErrorJson(response: ServerResponse, status: number, body: unknown, error: unknown): void {
  const { retryAfterMs } = aipErrorOf(error);
  if (retryAfterMs !== undefined && !response.headersSent)
    response.setHeader('retry-after', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  // A 401 names a scheme that would be accepted (RFC 9110, 15.5.2).
  if (status === 401 && !response.headersSent)
    response.setHeader('www-authenticate', error instanceof Unauthorized ? 'Bearer' : 'AIP-Signature');
  sendJson(response, status, body);
}

/** Answers with a JSON value, or with text that already is JSON. The connection of a body that was not read to its end is closed. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const pieces = typeof body === 'string' ? [body] : jsonPieces(body);
  const bytes = pieces.reduce(
    (sum, piece) => sum + (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.bytes),
    0,
  );
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes,
    ...((status === 413 || isLeftUnread(response.req)) && { connection: 'close' }),
  });
  const [text] = pieces;
  if (pieces.length === 1) response.end(text);
  else void writePieces(response, pieces);
}

function bounded(error: ProtocolError): ProtocolError {
  return { ...error, message: cutText(error.message, MAX_MESSAGE_BYTES) };
}

import type { Clock } from '../../protocol/clock.js';
import { bodyOf, decodeEnvelope, type Envelope } from '../../protocol/envelope.js';
import { NamedError } from '../../protocol/errors/named-error.js';
import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import type { Event, ProtocolError } from '../../protocol/types.js';
import { verifyAnswer } from '../../transport/peer/verify.js';
import type { GatewayPrincipal } from '../config/config.js';
import type { EndpointClient } from './endpoint-client.js';

/** The central server as a host knows it: the one principal, under any of the DIDs that are trusted now. */
export interface CentralServer {
  principal: GatewayPrincipal;
  dids: () => readonly string[];
}

/** What came of one envelope: it was taken, or refused with this status. */
export type Delivery =
  | { taken: true; events: readonly Event[] }
  | { taken: false; status: number /** At most 1024 characters. */; reason: string };

/**
 * An answer is not the central server's: a success that it did not sign for this envelope, or another status without an error of the protocol, as
 * proxies give while something behind them is away. Nothing is known to be stored, nor refused.
 */
export class AnswerUntrusted extends NamedError {}

/**
 * Posts one signed envelope to an ingress endpoint. Only an EventStream that the central server signed for this envelope says that it
 * was taken: a proxy that answers 200 on its own must not make anything vanish. `text` is the envelope's wire text. Throws AnswerUntrusted and
 * what the endpoint throws; after either the same may be sent again.
 */
export async function deliver(
  endpoint: EndpointClient,
  message: { envelope: Envelope; text: string },
  { central, clock, signal }: { central: CentralServer; clock: Clock; signal?: AbortSignal },
): Promise<Delivery> {
  const { status, body } = await endpoint.post(message.text, signal ? { signal } : {});
  const answer = decoded(body);
  if (status < 200 || status > 299) {
    const error = errorOf(answer, body);
    if (!error && status < 500)
      throw new AnswerUntrusted(`the answer with status ${status} has no error of the protocol`);
    return { taken: false, status, reason: reasonOf(status, error) };
  }
  const stream = answer && bodyOf(answer, 'event_stream');
  if (!answer || !stream) throw new AnswerUntrusted(`the answer with status ${status} is not an event stream`);
  try {
    await verifyAnswer(answer, message.envelope, expected(answer, central), clock());
  } catch (cause) {
    if (!(cause instanceof AipError)) throw cause;
    throw new AnswerUntrusted(cause.message, { cause });
  }
  return { taken: true, events: stream.events };
}

type ErrorText = Pick<ProtocolError, 'code' | 'message'>;

/** The central server under the DID that the answer carries, when that is one of its own. */
function expected({ security }: Envelope, { principal, dids }: CentralServer) {
  const trusted = dids();
  const named = (security as { did?: unknown } | undefined)?.did;
  const did = trusted.find((each) => each === named) ?? (trusted[0] as string);
  return { principal, did, trustDomain: principal.trust_domain };
}

function decoded(body: Buffer): Envelope | undefined {
  try {
    return decodeEnvelope(parseJson(body.toString('utf8')));
  } catch (error) {
    if (error instanceof AipError) return undefined;
    throw error;
  }
}

/** The error of an envelope, or the direct error object of an answer that could not be one. */
function errorOf(answer: Envelope | undefined, body: Buffer): ErrorText | undefined {
  if (answer) return bodyOf(answer, 'error')?.error;
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: Partial<ErrorText> };
    const { code, message } = error ?? {};
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}

/** Status, and the code and message of the error. */
function reasonOf(status: number, error: ErrorText | undefined): string {
  return (error ? `status ${status} ${error.code}: ${error.message}` : `status ${status}`).slice(0, 1024);
}

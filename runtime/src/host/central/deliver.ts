import type { Clock } from '../../protocol/clock.js';
import { bodyOf, decodeEnvelope, type Envelope } from '../../protocol/envelope.js';
import { NamedError } from '../../protocol/errors/named-error.js';
import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import type { Event } from '../../protocol/types.js';
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

/** A success status came with an answer that the central server did not sign for this envelope: nothing is known to be stored. */
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
  if (status < 200 || status > 299) return { taken: false, status, reason: refusalOf(status, answer) };
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

/** Status, and the code and message of an AIP error. */
function refusalOf(status: number, answer: Envelope | undefined): string {
  const error = answer && bodyOf(answer, 'error')?.error;
  return (error ? `status ${status} ${error.code}: ${error.message}` : `status ${status}`).slice(0, 1024);
}

import { systemClock } from '../protocol/clock.js';
import { decodeEnvelope, newEnvelope, signEnvelope, verifyEnvelope } from '../protocol/envelope.js';
import { AipError } from '../protocol/errors/aip-error.js';
import { parseJson } from '../protocol/json.js';
import type { SigningKey } from '../protocol/signing.js';
import type { Body, Envelope, Principal } from '../protocol/types.js';
import { AnswerInvalid, GatewayUnreachable } from './errors.js';
import type { Gateway } from './gateway.js';

/** Who signs the envelopes of a program that a gateway trusts by its key. */
export interface Signer {
  key: SigningKey;
  /** The principal that the gateway has bound to the key: id and kind must be equal. */
  principal: Principal;
}

/** How a message is sent. */
export interface MessageOptions {
  /** Signs the envelope; without one the bearer token of the gateway speaks for it. */
  signer?: Signer | undefined;
  /** DIDs of the gateway: an answer that none of them signed is refused. Without them the connection is trusted. */
  gatewayDids?: readonly string[] | undefined;
  sessionId?: string | undefined;
  clock?: (() => number) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one body as an envelope to `POST /aip/v1/messages` and gives the answering envelope. Sends once and never repeats. Throws GatewayRefused,
 * GatewayUnreachable, and AnswerInvalid for an answer to another message or with a wrong signature.
 */
export async function sendMessage(gateway: Gateway, body: Body, options: MessageOptions = {}): Promise<Envelope> {
  const { signer, gatewayDids, sessionId, signal } = options;
  const unsigned = newEnvelope(body, sessionId === undefined ? {} : { session_id: sessionId }, {
    clock: options.clock ?? systemClock,
  });
  const request = signer ? await signEnvelope(unsigned, signer.principal, signer.key) : unsigned;
  const stream = await gateway.download({ method: 'POST', path: '/aip/v1/messages', body: request, signal });
  const text = await new Response(stream).text().catch((error: unknown) => {
    throw signal?.aborted ? error : new GatewayUnreachable(gateway.url, error);
  });
  try {
    const answer = decodeEnvelope(parseJson(text));
    if (answer.in_response_to !== request.message_id)
      throw new AnswerInvalid(`${gateway.url} answered ${answer.in_response_to} instead of ${request.message_id}.`);
    if (gatewayDids && !gatewayDids.includes(await verifyEnvelope(answer)))
      throw new AnswerInvalid(`The answer of ${gateway.url} is signed with a DID that is not trusted.`);
    return answer;
  } catch (error) {
    if (error instanceof AipError) throw new AnswerInvalid(`The answer of ${gateway.url}: ${error.message}.`, error);
    throw error;
  }
}

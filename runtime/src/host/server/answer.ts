import type { ServerResponse } from 'node:http';
import type { Clock } from '../../protocol/clock.js';
import { type Envelope, replyEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { type AipError, HostResponseSigning } from '../../protocol/errors.js';
import type { Body } from '../../protocol/types.js';
import { type Signer, sendDirectError, sendJson } from '../../transport/http/error-response.js';
import { HOST_COMPONENT } from '../execution/results.js';

/** Answers one decoded request with envelopes that the host key signed and that are correlated to it. */
export interface Answer {
  result(response: ServerResponse, body: Body): Promise<void>;
  error(response: ServerResponse, error: AipError): Promise<void>;
}

/** The signed answers to a request. When signing fails the answer is an unsigned 500 connector_host.response_signing. */
export function answerTo(request: Envelope, signer: Signer, clock: Clock): Answer {
  const send = async (response: ServerResponse, status: number, body: Body): Promise<void> => {
    let text: string;
    try {
      const reply = replyEnvelope(request, body, { clock, from: signer.principal });
      text = JSON.stringify(await signEnvelope(reply, signer.principal, signer.key));
    } catch (cause) {
      sendDirectError(response, new HostResponseSigning(undefined, { cause }));
      return;
    }
    sendJson(response, status, text);
  };
  return {
    result: (response, body) => send(response, 200, body),
    error: (response, error) =>
      send(response, error.status, { error: { error: error.toProtocolError(HOST_COMPONENT) } }),
  };
}

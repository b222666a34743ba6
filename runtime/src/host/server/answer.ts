import type { ServerResponse } from 'node:http';
import type { Clock } from '../../protocol/clock.js';
import { type Envelope, replyEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import type { Body } from '../../protocol/types.js';
import { type Signer, sendDirectError, sendJson } from '../../transport/http/error-response.js';
import { HOST_COMPONENT } from '../execution/results.js';
import { type FollowingDocument, sendWithDocument } from './document.js';

/** Answers one decoded request with envelopes that the host key signed and that are correlated to it. */
export interface Answer {
  /** With a document its bytes follow the envelope, which names its digest. */
  result(response: ServerResponse, body: Body, document?: FollowingDocument): Promise<void>;
  error(response: ServerResponse, error: AipError): Promise<void>;
}

/** The signed answers to a request. When signing fails the answer is an unsigned 500 connector_host.response_signing. */
export function answerTo(request: Envelope, signer: Signer, clock: Clock): Answer {
  const send = async (
    response: ServerResponse,
    status: number,
    body: Body,
    document?: FollowingDocument,
  ): Promise<void> => {
    let text: string;
    try {
      const reply = replyEnvelope(request, body, { clock, from: signer.principal });
      text = JSON.stringify(await signEnvelope(reply, signer.principal, signer.key));
    } catch (cause) {
      sendDirectError(response, new AipError('connector_host.response_signing', undefined, { cause }));
      return;
    }
    if (document) await sendWithDocument(response, text, document);
    else sendJson(response, status, text);
  };
  return {
    result: (response, body, document) => send(response, 200, body, document),
    error: (response, error) =>
      send(response, error.status, { error: { error: error.toProtocolError(HOST_COMPONENT) } }),
  };
}

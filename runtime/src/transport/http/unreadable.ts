import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AipError } from '../../protocol/errors.js';
import { directError, sendJson } from './error-response.js';
import { answerRaw } from './raw-answer.js';

/** Writes the body of an error that no route could answer, since the request never became one. */
export type UnreadableAnswer = (error: AipError) => Promise<{ status: number; body: unknown }>;

/** The direct error object. */
export const directAnswer: UnreadableAnswer = async (error) => directError(error);

/** Answers requests that the HTTP parser refuses in the form of `answer`, and closes their connections. */
export function answerUnreadable(server: Server, answer: UnreadableAnswer = directAnswer): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse }) => {
    // A response that has begun cannot become another one.
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    void answer(unreadable(error.code)).then(({ status, body }) => answerRaw(socket, status, body));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    void answer(new AipError('http.expectation_failed')).then(({ status, body }) => sendJson(response, status, body));
  });
}

function unreadable(code: string | undefined): AipError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AipError('http.headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AipError('http.request_timeout');
  return new AipError('http.malformed_request');
}

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ENVELOPE_BYTES } from '../../protocol/content/documents.js';
import { NamedError } from '../../protocol/errors/named-error.js';

/** One POST to a peer. */
export interface ExchangeRequest {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** The whole exchange must be done in this time, in milliseconds. */
  timeoutMs: number;
  /** The answer's body may have this many bytes. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  /** Takes the document that follows an answer's envelope; without it every answer is collected as a whole. */
  document?: DocumentSink | undefined;
}

/** Takes a document as it arrives. */
export interface DocumentSink {
  maxBytes: number;
  /** Reads the document to its end; what it throws fails the exchange. */
  keep(parts: AsyncIterable<Buffer>): Promise<unknown>;
}

/** A complete answer. */
export interface ExchangeAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/** How long a document may stand still while it is on its way, in milliseconds. */
const DOCUMENT_IDLE_MS = 30_000;

/** An exchange without a complete answer. */
export class ExchangeFailed extends NamedError {
  /** Whether the request was being written to a connection: false means that no byte of it can have arrived. */
  readonly reached: boolean;
  /** Status of an answer that had begun; such an exchange must not be repeated. */
  readonly status?: number;

  constructor(message: string, reached: boolean, status?: number, cause?: unknown) {
    super(message, { cause });
    this.reached = reached;
    if (status !== undefined) this.status = status;
  }
}

/**
 * Sends one POST through `dispatcher` and collects the answer. Redirects are answers like any other. Throws ExchangeFailed; the reason
 * of `signal` when it ends the exchange.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let status: number | undefined;
    let headersOfAnswer: ExchangeAnswer['headers'] = {};
    let running: Dispatcher.DispatchController | undefined;
    let over: Error | undefined;
    /** The document that follows the envelope of the answer, from the response header that announces it. */
    let following: { envelopeBytes: number; parts: Readable; kept: Promise<unknown> } | undefined;

    const settle = (): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error): void => {
      if (over) return;
      over = error;
      settle();
      reject(error);
      following?.parts.destroy(error);
      running?.abort(error);
    };
    const failed = (text: string, cause?: unknown): void =>
      fail(new ExchangeFailed(text, running !== undefined, status, cause));
    const onAbort = (): void => fail(request.signal?.reason);
    let timer = setTimeout(() => failed(`no complete answer within ${request.timeoutMs} ms`), request.timeoutMs);
    const idle = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => failed('the document stands still'), DOCUMENT_IDLE_MS);
    };
    const follow = (sink: DocumentSink, envelopeBytes: number, controller: Dispatcher.DispatchController): void => {
      const parts = new Readable({ read: () => controller.resume() });
      // Its failure is reported through the exchange.
      parts.on('error', () => undefined);
      const kept = sink.keep(parts);
      kept.catch((error) => fail(error));
      following = { envelopeBytes, parts, kept };
      idle();
    };
    const complete = (): void => {
      if (over) return;
      over = DONE;
      settle();
      const answer = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      resolve({ status: status ?? 0, headers: headersOfAnswer, body: answer });
    };
    if (request.signal?.aborted) {
      onAbort();
      return;
    }
    request.signal?.addEventListener('abort', onAbort, { once: true });

    const { origin, path, headers, body } = request;
    dispatcher.dispatch(
      { origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart: (controller) => {
          running = controller;
          if (over) controller.abort(over);
        },
        onResponseStart: (controller, code, answerHeaders) => {
          if (code < 200) return;
          headersOfAnswer = answerHeaders;
          const length = Number(answerHeaders['content-length']);
          const envelopeBytes = Number(answerHeaders[ENVELOPE_BYTES]);
          const { document, maxBytes } = request;
          if (document && code === 200 && envelopeBytes > 0 && envelopeBytes <= maxBytes) {
            // Without a status yet, since an answer that ends early may be asked for again: it is in the host's journal.
            if (length - envelopeBytes > document.maxBytes) failed('the document is larger than its bound');
            else follow(document, envelopeBytes, controller);
            return;
          }
          status = code;
          if (length > maxBytes) failed(`the answer is larger than ${maxBytes} bytes`);
        },
        onResponseData: (controller, part) => {
          size += part.length;
          if (!following) {
            if (size > request.maxBytes) failed(`the answer is larger than ${request.maxBytes} bytes`);
            else parts.push(part);
            return;
          }
          idle();
          const { envelopeBytes } = following;
          const before = size - part.length;
          if (size - envelopeBytes > (request.document?.maxBytes ?? 0)) {
            failed('the document is larger than its bound');
            return;
          }
          if (before < envelopeBytes) parts.push(part.subarray(0, envelopeBytes - before));
          const rest = part.subarray(Math.max(0, envelopeBytes - before));
          if (rest.length > 0 && !following.parts.push(rest)) controller.pause();
        },
        onResponseEnd: () => {
          if (!following) {
            complete();
            return;
          }
          status = 200;
          following.parts.push(null);
          following.kept.then(complete, () => undefined);
        },
        onResponseError: (_controller, error) => failed(error.message, error),
      },
    );
  });
}

/** Marks an exchange that ended well, so that a late failure changes nothing. */
const DONE = new Error('the exchange is complete');

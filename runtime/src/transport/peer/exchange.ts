import type { Dispatcher } from 'undici';

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
}

/** An exchange without a complete answer. */
export class ExchangeFailed extends Error {
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
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let status: number | undefined;
    let running: Dispatcher.DispatchController | undefined;
    let over: Error | undefined;

    const settle = (): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error): void => {
      if (over) return;
      over = error;
      settle();
      reject(error);
      running?.abort(error);
    };
    const failed = (text: string, cause?: unknown): void =>
      fail(new ExchangeFailed(text, running !== undefined, status, cause));
    const onAbort = (): void => fail(request.signal?.reason);
    const timer = setTimeout(() => failed(`no complete answer within ${request.timeoutMs} ms`), request.timeoutMs);
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
        onResponseStart: (_controller, code, answerHeaders) => {
          if (code < 200) return;
          status = code;
          if (Number(answerHeaders['content-length']) > request.maxBytes) {
            failed(`the answer is larger than ${request.maxBytes} bytes`);
          }
        },
        onResponseData: (_controller, part) => {
          size += part.length;
          if (size > request.maxBytes) failed(`the answer is larger than ${request.maxBytes} bytes`);
          else parts.push(part);
        },
        onResponseEnd: () => {
          if (over) return;
          over = DONE;
          settle();
          resolve({
            status: status ?? 0,
            body: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, size),
          });
        },
        onResponseError: (_controller, error) => failed(error.message, error),
      },
    );
  });
}

/** Marks an exchange that ended well, so that a late failure changes nothing. */
const DONE = new Error('the exchange is complete');

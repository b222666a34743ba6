import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ENVELOPE_BYTES } from '../../protocol/content/documents.js';
import { NamedError } from '../../protocol/errors/named-error.js';
import { after } from '../../time/timer.js';
import { collectBytes } from '../http/byte-collector.js';

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
    const reader = new AnswerReader(request, resolve, reject);
    if (reader.isOver) return;
    const { origin, path, headers, body } = request;
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, reader);
  });
}

/** The document that follows the envelope of an answer, from the response header that announces it. */
interface FollowingDocument {
  readonly envelopeBytes: number;
  readonly parts: Readable;
  readonly kept: Promise<unknown>;
}

/** Reads one answer within its time and bounds. It ends once: with the answer, a failure, or the signal's reason. */
class AnswerReader implements Dispatcher.DispatchHandler {
  private readonly request: ExchangeRequest;
  private readonly resolve: (answer: ExchangeAnswer) => void;
  private readonly reject: (error: Error) => void;
  private readonly parts = collectBytes();
  private size = 0;
  private status: number | undefined;
  private headers: ExchangeAnswer['headers'] = {};
  private running: Dispatcher.DispatchController | undefined;
  private following: FollowingDocument | undefined;
  private cancelTimer: () => void;
  private over: Error | undefined;

  constructor(request: ExchangeRequest, resolve: (answer: ExchangeAnswer) => void, reject: (error: Error) => void) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
    const { timeoutMs, signal } = request;
    this.cancelTimer = after(timeoutMs, () => this.failed(`no complete answer within ${timeoutMs} ms`));
    if (signal?.aborted) this.onAbort();
    else signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  get isOver(): boolean {
    return this.over !== undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.running = controller;
    if (this.over) controller.abort(this.over);
  }

  onResponseStart(controller: Dispatcher.DispatchController, code: number, headers: IncomingHttpHeaders): void {
    if (code < 200) return;
    this.headers = headers;
    const length = Number(headers['content-length']);
    const envelopeBytes = Number(headers[ENVELOPE_BYTES]);
    const { document, maxBytes } = this.request;
    if (document && code === 200 && envelopeBytes > 0 && envelopeBytes <= maxBytes) {
      // Without a status yet, since an answer that ends early may be asked for again: it is in the host's journal.
      if (length - envelopeBytes > document.maxBytes) this.failed('the document is larger than its bound');
      else this.follow(document, envelopeBytes, controller);
      return;
    }
    this.status = code;
    if (length > maxBytes) this.failed(`the answer is larger than ${maxBytes} bytes`);
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    this.size += part.length;
    if (this.following) this.takeDocument(this.following, controller, part);
    else if (this.size > this.request.maxBytes) this.failed(`the answer is larger than ${this.request.maxBytes} bytes`);
    else this.parts.add(part);
  }

  onResponseEnd(): void {
    if (!this.following) {
      this.complete();
      return;
    }
    this.status = 200;
    this.following.parts.push(null);
    this.following.kept.then(
      () => this.complete(),
      () => undefined,
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.failed(error.message, error);
  }

  private follow(sink: DocumentSink, envelopeBytes: number, controller: Dispatcher.DispatchController): void {
    const parts = new Readable({ read: () => controller.resume() });
    // Its failure is reported through the exchange.
    parts.on('error', () => undefined);
    const kept = sink.keep(parts);
    kept.catch((error) => this.fail(error));
    this.following = { envelopeBytes, parts, kept };
    this.idle();
  }

  /** Divides a part between the envelope and the document behind it. */
  private takeDocument(
    { envelopeBytes, parts }: FollowingDocument,
    controller: Dispatcher.DispatchController,
    part: Buffer,
  ): void {
    this.idle();
    const before = this.size - part.length;
    if (this.size - envelopeBytes > (this.request.document?.maxBytes ?? 0)) {
      this.failed('the document is larger than its bound');
      return;
    }
    if (before < envelopeBytes) this.parts.add(part.subarray(0, envelopeBytes - before));
    const rest = part.subarray(Math.max(0, envelopeBytes - before));
    if (rest.length > 0 && !parts.push(rest)) controller.pause();
  }

  private idle(): void {
    this.cancelTimer();
    this.cancelTimer = after(DOCUMENT_IDLE_MS, () => this.failed('the document stands still'));
  }

  private readonly onAbort = (): void => this.fail(this.request.signal?.reason);

  private failed(text: string, cause?: unknown): void {
    this.fail(new ExchangeFailed(text, this.running !== undefined, this.status, cause));
  }

  private fail(error: Error): void {
    if (this.over) return;
    this.over = error;
    this.settle();
    this.reject(error);
    this.following?.parts.destroy(error);
    this.running?.abort(error);
  }

  private complete(): void {
    if (this.over) return;
    this.over = DONE;
    this.settle();
    this.resolve({ status: this.status ?? 0, headers: this.headers, body: this.parts.all() });
  }

  private settle(): void {
    this.cancelTimer();
    this.request.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** Marks an exchange that ended well, so that a late failure changes nothing. */
const DONE = new Error('the exchange is complete');

import { type ErrorOptions, failure, NotAuthorized } from '../../protocol/errors.js';

/** The destination policy does not admit the peer. Nothing was sent. */
export class DestinationRefused extends NotAuthorized {}

/** What is known about an exchange that failed. */
export interface FailedExchange {
  /** Whether the peer may have received the request: false means that it certainly did not act. */
  reached: boolean;
  /** Attempts made. */
  attempts: number;
  /** HTTP status, when an answer began to arrive. */
  status?: number | undefined;
}

/**
 * No usable answer came: connection, TLS, time, size, syntax, or an error status without an error body. With `reached` the outcome
 * is unknown, and only reading state reports whether the peer acted.
 */
export class PeerTransportFailed extends failure('runtime.handler_failed') {
  readonly reached: boolean;
  readonly attempts: number;
  readonly httpStatus?: number;

  constructor(message: string, exchange: FailedExchange, options?: ErrorOptions) {
    super(message, options);
    this.reached = exchange.reached;
    this.attempts = exchange.attempts;
    if (exchange.status !== undefined) this.httpStatus = exchange.status;
  }
}

import { HandlerFailed } from './errors/action.js';
import { AipError } from './errors/aip-error.js';
import { toNumber } from './json.js';
import type { ProtocolError } from './types.js';

export * from './errors/action.js';
export { AipError, type ErrorClass, type ErrorOptions, kindOf, statusOf } from './errors/aip-error.js';
export * from './errors/approval.js';
export * from './errors/auth.js';
export * from './errors/catalog.js';
export * from './errors/connector.js';
export * from './errors/envelope.js';
export * from './errors/ingress.js';
export * from './errors/query.js';
export * from './errors/session.js';
export * from './errors/transaction.js';

/** A ProtocolError received from a peer or found in a result, as an error of ours; `status` is the HTTP status it came with. */
export class RemoteError extends AipError {
  readonly received: ProtocolError;

  constructor(received: ProtocolError, status?: number) {
    super({ code: received.code, category: received.category, message: received.message }, received.message, {
      ...(received.retryable !== undefined && { retryable: received.retryable }),
      ...(received.retry_after_ms !== undefined && { retryAfterMs: toNumber(received.retry_after_ms) }),
      ...(received.details !== undefined && { details: received.details }),
      ...(status !== undefined && { status }),
    });
    this.received = received;
  }

  /** The error exactly as received, with its own source when it has one. */
  override toProtocolError(component?: string): ProtocolError {
    return { ...super.toProtocolError(component), ...this.received };
  }
}

/** Any thrown value as an AipError; what is none becomes `runtime.handler_failed` and keeps its text to itself. */
export function aipErrorOf(error: unknown): AipError {
  return error instanceof AipError ? error : new HandlerFailed(undefined, { cause: error });
}

/** Any thrown value as the wire's ProtocolError. */
export function protocolErrorOf(error: unknown, component?: string): ProtocolError {
  return aipErrorOf(error).toProtocolError(component);
}

import { AipError, ForeignCode } from './errors/aip-error.js';
import { toNumber } from './json.js';
import type { ProtocolError } from './types.js';

export { AipError, type ErrorClass, type ErrorOptions, ForeignCode, failure, statusOf } from './errors/aip-error.js';
export * from './errors/classes.js';
export type { ErrorCode } from './errors/codes.js';
export { outcomeUnknown } from './errors/outcome-unknown.js';

/** A ProtocolError received from a peer or found in a result, as an error of ours; `status` is the HTTP status it came with. */
export class RemoteError extends AipError {
  readonly received: ProtocolError;

  constructor(received: ProtocolError, status?: number) {
    super(new ForeignCode(received.code, received.category, received.message), received.message, {
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
  return error instanceof AipError ? error : new AipError('runtime.handler_failed', undefined, { cause: error });
}

/** Any thrown value as the wire's ProtocolError. */
export function protocolErrorOf(error: unknown, component?: string): ProtocolError {
  return aipErrorOf(error).toProtocolError(component);
}

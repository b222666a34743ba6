import type { ErrorCategory, ProtocolError } from '../types.js';
import { CODES, type ErrorCode, type ErrorKind } from './codes.js';
import { NamedError } from './named-error.js';

/** HTTP status of each error category (docs/protocol/errors.md). */
const STATUS: Record<ErrorCategory, number> = {
  auth: 401,
  policy: 403,
  temporary: 503,
  transport: 503,
  connector: 502,
  economic: 402,
  permanent: 400,
};

/** HTTP status that an error of this category leaves with; a category we do not know counts as permanent (400). */
export function statusOf(category: string): number {
  return STATUS[category as ErrorCategory] ?? 400;
}

/** What a thrower may add to an error of a given code. */
export interface ErrorOptions {
  /** Machine-readable facts for the caller; never a secret, never a body. */
  details?: unknown;
  /** Milliseconds after which a retry makes sense. */
  retryAfterMs?: number;
  /** Overrides the code's own answer to "may the same request be sent again?". */
  retryable?: boolean;
  /** Overrides the HTTP status, for routes whose checks choose it (docs/protocol/host.md#checks). */
  status?: number;
  /** What went wrong underneath; logged, never sent. */
  cause?: unknown;
}

/** A code that is not in the table: a peer's, a connector's, or one that a capability states. */
export class ForeignCode implements ErrorKind {
  readonly code: string;
  readonly category: ErrorCategory;
  readonly message: string;

  constructor(code: string, category: ErrorCategory, message: string) {
    this.code = code;
    this.category = category;
    this.message = message;
  }
}

/**
 * Every failure that may reach a caller: `new AipError('action.not_found')` has the category, message, status and retry hints of the
 * table. Decide by `code`, `category`, `retryable` and `retryAfterMs`, or by one of the classes; never by the message.
 */
export class AipError extends NamedError {
  readonly code: string;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly details?: unknown;
  /** HTTP status; by category unless the code or the thrower says otherwise. */
  readonly status: number;

  constructor(code: ErrorCode | ForeignCode, message?: string, options: ErrorOptions = {}) {
    const kind: ErrorKind = code instanceof ForeignCode ? code : CODES[code];
    super(message ?? kind.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code instanceof ForeignCode ? code.code : code;
    this.category = kind.category;
    this.retryable = options.retryable ?? kind.retryable ?? false;
    const retryAfterMs = options.retryAfterMs ?? kind.retryAfterMs;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    if (options.details !== undefined) this.details = options.details;
    this.status = options.status ?? kind.status ?? statusOf(kind.category);
  }

  /** The wire form; `component` names the part that answers, written as `source.component` (docs/protocol/errors.md#form). */
  toProtocolError(component?: string): ProtocolError {
    return {
      code: this.code,
      message: this.message,
      category: this.category,
      retryable: this.retryable,
      ...(this.retryAfterMs !== undefined && { retry_after_ms: this.retryAfterMs }),
      ...(this.details !== undefined && { details: this.details }),
      ...(component !== undefined && { source: { component } }),
    };
  }
}

/** Class of one error code: `new X()`, `new X('what was wrong')`, `new X('…', { details, retryAfterMs, … })`. */
export interface ErrorClass {
  new (message?: string, options?: ErrorOptions): AipError;
}

/** The base class of one error code, for errors that are caught by class. */
export function failure(code: ErrorCode): ErrorClass {
  return class extends AipError {
    constructor(message?: string, options?: ErrorOptions) {
      super(code, message, options);
    }
  };
}

import { NamedError } from '../protocol/errors/named-error.js';
import type { ProtocolError } from '../protocol/types.js';

/** A failure of the client; `code` names its kind. A `fetch` of the caller's own may throw one: it is reported unchanged. */
export abstract class ClientError extends NamedError {
  abstract readonly code: string;
  /** What the user can do; one sentence. */
  readonly advice: string | undefined;
  /** Trying again changes nothing: a follow ends with it. */
  readonly final: boolean = false;
  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }
  /** The machine-readable form. */
  toJSON(): Record<string, unknown> {
    return { error: { code: this.code, message: this.message, ...(this.advice ? { advice: this.advice } : {}) } };
  }
}

/** An identifier lacks its prefix or is too long; nothing was sent. */
export class IdInvalid extends ClientError {
  readonly code = 'client.id_invalid';
  /** What the identifier should name. */
  readonly kind: string | undefined;
  constructor(message: string, kind?: string) {
    super(message);
    this.kind = kind;
  }
}

/** No answer came: nothing listens, the name does not resolve, or the connection broke. The outcome of a mutation is unknown. */
export class GatewayUnreachable extends ClientError {
  readonly code = 'client.unreachable';
  constructor(url: string, cause: unknown, advice?: string) {
    const reason = reasonOf(cause);
    super(
      `No answer from the gateway at ${url}${reason ? `: ${reason}` : ''}.`,
      isPlainHttp(innermost(cause))
        ? `Write ${url.replace(/^https:/, 'http:')}.`
        : isTlsPort(innermost(cause))
          ? `Write ${url.replace(/^http:/, 'https:')}.`
          : advice,
    );
    this.cause = cause;
  }
}

/** The answer is not what the interface says. */
export class AnswerInvalid extends ClientError {
  readonly code = 'client.answer_invalid';
  constructor(message: string, cause?: unknown) {
    super(message, 'Is this address an AIP gateway?');
    this.cause = cause;
  }
}

/** The gateway answered with a protocol error. */
export class GatewayRefused extends ClientError {
  readonly code: string;
  readonly error: ProtocolError;
  readonly status: number;
  constructor(error: ProtocolError, status: number, tokenSource?: string) {
    super(`${error.message} (${error.code})${status === 401 && tokenSource ? `; ${tokenSource} was sent` : ''}`);
    this.code = error.code;
    this.error = error;
    this.status = status;
  }
  override toJSON(): Record<string, unknown> {
    return { error: this.error, status: this.status };
  }
}

/** Did the gateway say that it knows no such thing? */
export function isNotFound(error: unknown): boolean {
  return error instanceof GatewayRefused && /[._]not_found$/.test(error.code);
}

/** The request may have been carried out, and the action can't be found. */
export class OutcomeUncertain extends ClientError {
  readonly code = 'client.outcome_uncertain';
  readonly actionId: string;
  constructor(actionId: string, cause: unknown) {
    super(
      `The connection broke before the gateway answered, and ${actionId} can't be read.`,
      'Read the action when the gateway is back; repeat the submit only with the same idempotency key.',
    );
    this.actionId = actionId;
    this.cause = cause;
  }
}

/** Is it a certificate that Node.js does not accept? Nothing was sent then. */
export function isCertificateProblem(error: unknown): boolean {
  const code = codeOf(error);
  return /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/.test(code);
}

/** TLS met something that is not TLS. */
function isPlainHttp(error: unknown): boolean {
  const code = codeOf(error);
  const { message = '' } = (error ?? {}) as Error;
  return (
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
    /SSL routines:.*(wrong version|packet length|http request)/.test(message)
  );
}

/** Plain HTTP met a TLS server, whose alert is no HTTP. */
function isTlsPort(error: unknown): boolean {
  return codeOf(error).startsWith('HPE_');
}

/** The code of a system error; empty for other errors, whose code may be a number, as after a time-out of `fetch`. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function innermost(cause: unknown): unknown {
  let at = cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof AggregateError && at.errors[0] instanceof Error ? at.errors[0] : at;
}

/** Why there was no answer, for people: the innermost cause. */
export function reasonOf(cause: unknown): string {
  const at = innermost(cause);
  const code = codeOf(at);
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'the host name is not known',
    ECONNRESET: 'the connection was cut',
    UND_ERR_SOCKET: 'the connection was cut',
    UND_ERR_HEADERS_TIMEOUT: 'it took too long',
  };
  if (code && known[code]) return known[code];
  if (isPlainHttp(at)) return 'that port speaks http, not https';
  if (isTlsPort(at)) return 'that port speaks https, not http';
  return at instanceof Error ? at.message : '';
}

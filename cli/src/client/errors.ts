import type { ProtocolError } from '@aip/runtime/protocol/types.js';

/** Exit codes of the CLI (docs/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  expired: 4,
  deadLettered: 5,
  pendingApproval: 6,
  unreachable: 7,
  /** A policy, a missing right or a person refused it. */
  rejected: 8,
  /** As timeout(1): waiting was given up. */
  gaveUp: 124,
  /** 128 + SIGINT. */
  interrupted: 130,
} as const;

/** A failure that is reported to the user with what to do; `exit` is the process's exit code. */
export abstract class CliError extends Error {
  abstract readonly code: string;
  readonly exit: number;
  /** What the user can do; one sentence. */
  readonly advice: string | undefined;
  constructor(message: string, exit: number, advice?: string) {
    super(message);
    this.name = new.target.name;
    this.exit = exit;
    this.advice = advice;
  }
  /** The machine-readable form printed with --json. */
  toJSON(): Record<string, unknown> {
    return { error: { code: this.code, message: this.message, ...(this.advice ? { advice: this.advice } : {}) } };
  }
}

/** The command was called wrongly; nothing was sent. */
export class UsageError extends CliError {
  readonly code = 'cli.usage';
  constructor(message: string, advice?: string) {
    super(message, EXIT.usage, advice);
  }
}

/** An identifier lacks its prefix or is too long; nothing was sent. */
export class IdInvalid extends CliError {
  readonly code = 'cli.id_invalid';
  constructor(message: string) {
    super(message, EXIT.usage, 'Copy the id from `aip actions list`.');
  }
}

/** No answer came: nothing listens, the name does not resolve, or the connection broke. The outcome of a mutation is unknown. */
export class GatewayUnreachable extends CliError {
  readonly code = 'cli.unreachable';
  constructor(url: string, cause: unknown, advice?: string) {
    const reason = reasonOf(cause);
    super(
      `No answer from the gateway at ${url}${reason ? `: ${reason}` : ''}.`,
      EXIT.unreachable,
      isPlainHttp(innermost(cause))
        ? `Write ${url.replace(/^https:/, 'http:')}.`
        : isTlsPort(innermost(cause))
          ? `Write ${url.replace(/^http:/, 'https:')}.`
          : (advice ?? 'Start one with `aip dev`, or name yours with --gateway or AIP_GATEWAY_URL.'),
    );
    this.cause = cause;
  }
}

/** No gateway Pod of a cluster could be reached; nothing was sent. */
export class NoGatewayPod extends CliError {
  readonly code = 'cli.no_gateway_pod';
  constructor(problem: string, cause?: unknown) {
    super(problem, EXIT.unreachable, '`aip doctor` says what is wrong; --gateway URL goes another way.');
    this.cause = cause;
  }
}

/** The user's own rights in a cluster do not reach; trying again changes nothing. */
export class RightMissing extends CliError {
  readonly code = 'cli.right_missing';
  constructor(message: string, advice: string) {
    super(message, EXIT.failed, advice);
  }
}

/** The answer is not what the interface says. */
export class AnswerInvalid extends CliError {
  readonly code = 'cli.answer_invalid';
  constructor(message: string) {
    super(message, EXIT.failed, 'Is this address an AIP gateway?');
  }
}

/** The gateway answered with a protocol error. */
export class GatewayRefused extends CliError {
  readonly code: string;
  readonly error: ProtocolError;
  readonly status: number;
  constructor(error: ProtocolError, status: number, tokenSource?: string) {
    super(
      `${error.message} (${error.code})${status === 401 && tokenSource ? `; ${tokenSource} was sent` : ''}`,
      wasRejected(error) ? EXIT.rejected : EXIT.failed,
      adviceFor(error),
    );
    this.code = error.code;
    this.error = error;
    this.status = status;
  }
  override toJSON(): Record<string, unknown> {
    return { error: this.error, status: this.status, ...(this.advice ? { advice: this.advice } : {}) };
  }
}

/** Did the gateway say that it knows no such thing? */
export function isNotFound(error: unknown): boolean {
  return error instanceof GatewayRefused && /\.not_found$/.test(error.code);
}

/** The request may have been carried out, and the action can't be found. */
export class OutcomeUncertain extends CliError {
  readonly code = 'cli.outcome_uncertain';
  constructor(actionId: string, cause: unknown) {
    super(
      `The connection broke before the gateway answered, and ${actionId} can't be read.`,
      EXIT.unreachable,
      `Ask \`aip actions get ${actionId}\` when the gateway is back; repeat the submit only with the same --idempotency-key.`,
    );
    this.cause = cause;
  }
}

/** Refused by a policy, a person or for want of a right, as opposed to failed. */
export function wasRejected({ category, code }: ProtocolError): boolean {
  return category === 'policy' || category === 'auth' || code.startsWith('approval.');
}

/** What a user can do about a protocol error; by code first, then by category. */
function adviceFor(error: ProtocolError): string | undefined {
  const byCode: Readonly<Record<string, string>> = {
    'auth.native_http_unauthorized':
      'Name a valid token with --token-file or AIP_TOKEN; `aip tokens create` makes one.',
    'action.result_not_ready': 'The action has not ended: follow it with `aip actions follow`.',
    'action.not_found': 'Check the id; `aip actions list` shows the actions you may see.',
    'resource.not_found': 'Check the name; `aip capabilities` shows what your tenant may call.',
    'connector_catalog.tenant_required': 'The token has no tenant; make one with `aip tokens create --tenant`.',
    'connector_catalog.stale_cursor': 'The catalog changed while it was being read; run the command again.',
    'connector.binding_unavailable':
      'No instance of your tenant serves this capability; `aip capabilities` shows those that do.',
    'connector.replica_unavailable': 'No host is ready; `aip fleet status` shows why.',
    'query.cursor_invalid': 'Use only a cursor that this command printed before.',
    'query.invalid_cursor': 'Use only a cursor that this command printed before.',
  };
  const byCategory: Readonly<Record<string, string>> = {
    auth: 'The token may not do this; check its scopes and tenant.',
    policy: 'A policy forbids it; the message says which.',
    temporary: 'Try again in a moment.',
    transport: 'Try again in a moment.',
  };
  return byCode[error.code] ?? byCategory[error.category];
}

/** Is it a certificate that Node.js does not accept? Nothing was sent then. */
export function isCertificateProblem(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/.test(code);
}

/** TLS met something that is not TLS. */
function isPlainHttp(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return (
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
    /SSL routines:.*(wrong version|packet length|http request)/.test(message)
  );
}

/** Plain HTTP met a TLS server, whose alert is no HTTP. */
function isTlsPort(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return code.startsWith('HPE_');
}

function innermost(cause: unknown): unknown {
  let at = cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof AggregateError && at.errors[0] instanceof Error ? at.errors[0] : at;
}

/** Why there was no answer, for people: the innermost cause. */
export function reasonOf(cause: unknown): string {
  const at = innermost(cause);
  const code = (at as NodeJS.ErrnoException | undefined)?.code;
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

import {
  ClientError,
  GatewayRefused,
  GatewayUnreachable,
  IdInvalid,
  OutcomeUncertain,
} from '@aip/runtime/internal/gateway';
import type { ProtocolError } from '@aip/runtime/internal/protocol';

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

/** A failure with an exit code of its own. */
export abstract class CliError extends ClientError {
  readonly exit: number;
  constructor(message: string, exit: number, advice?: string) {
    super(message, advice);
    this.exit = exit;
  }
}

/** The command was called wrongly; nothing was sent. */
export class UsageError extends CliError {
  readonly code = 'cli.usage';
  constructor(message: string, advice?: string) {
    super(message, EXIT.usage, advice);
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
  override readonly final = true;
  constructor(message: string, advice: string) {
    super(message, EXIT.failed, advice);
  }
}

/** Refused by a policy, a person or for want of a right, as opposed to failed. */
export function wasRejected({ category, code }: ProtocolError): boolean {
  return category === 'policy' || category === 'auth' || code.startsWith('approval.');
}

/** Exit code of a failed command. */
export function exitOf(error: ClientError): number {
  if (error instanceof CliError) return error.exit;
  if (error instanceof IdInvalid) return EXIT.usage;
  if (error instanceof GatewayUnreachable || error instanceof OutcomeUncertain) return EXIT.unreachable;
  return error instanceof GatewayRefused && wasRejected(error.error) ? EXIT.rejected : EXIT.failed;
}

/** Where ids of a kind are shown. */
const LISTS: Readonly<Record<string, string>> = {
  session: 'sessions list',
  approval: 'approvals list',
  transaction: 'actions list -o wide',
  event: 'events list -o name',
  receipt: 'receipts get ACTION -o name',
};

/** What the user of the CLI can do about a failure; one sentence. */
export function adviceOf(error: ClientError): string | undefined {
  if (error instanceof GatewayRefused) return adviceFor(error.error);
  if (error instanceof IdInvalid) return `Copy the id from \`aip ${LISTS[error.kind ?? 'action'] ?? 'actions list'}\`.`;
  if (error instanceof OutcomeUncertain)
    return `Ask \`aip actions get ${error.actionId}\` when the gateway is back; repeat the submit only with the same --idempotency-key.`;
  if (error instanceof GatewayUnreachable)
    return error.advice ?? 'Start one with `aip dev`, or name yours with --gateway or AIP_GATEWAY_URL.';
  return error.advice;
}

/** The document that --json prints for a failure. */
export function documentOf(error: ClientError): Record<string, unknown> {
  const advice = adviceOf(error);
  if (error instanceof GatewayRefused) return { ...error.toJSON(), ...(advice ? { advice } : {}) };
  return { error: { code: error.code, message: error.message, ...(advice ? { advice } : {}) } };
}

/** What a user can do about a protocol error; by code first, then by category. `capability` is the one that was called, where that is known. */
export function adviceFor(error: ProtocolError, capability = 'CAPABILITY'): string | undefined {
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
    'action.input_schema_invalid': `\`aip capabilities get ${capability}\` shows what the input must be.`,
    'idempotency.required': 'Add --idempotency-key KEY; a repeat under the same key gives the first result.',
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

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

/** The exit code of every failure of the CLI itself, by its code, and what the user can do where that is always the same. */
const FAILURES = {
  /** The running `aip dev` could not apply the documents. */
  'cli.apply_failed': { exit: EXIT.failed },
  /** Another command has been changing the contexts file for longer than that takes. */
  'cli.contexts_in_use': { exit: EXIT.failed, advice: 'Try again; end that process if it hangs.' },
  /** The contexts file can't be read or is not one. */
  'cli.contexts_invalid': { exit: EXIT.usage, advice: 'Correct it, or name another file with AIP_CONFIG.' },
  /** A controller uses the database, and would give hosts the right to log in again. */
  'cli.controller_connected': {
    exit: EXIT.failed,
    advice: 'Uninstall the release first; deleted instances lose their logins while it runs.',
  },
  /** The user said no, or typed nothing more; nothing was done. */
  'cli.declined': { exit: EXIT.failed },
  /** No `aip dev` runs on the data folder, or it did not answer. */
  'cli.dev_not_running': {
    exit: EXIT.unreachable,
    advice: 'Start one with `aip dev`, or name its folder with --data.',
  },
  /** The cluster has no such fleet, or its controller has not set it up yet. */
  'cli.fleet_not_found': { exit: EXIT.failed },
  /** Waiting was given up; what was waited for continues. */
  'cli.gave_up': { exit: EXIT.gaveUp },
  /** Ctrl-C. */
  'cli.interrupted': { exit: EXIT.interrupted },
  /** No gateway Pod of a cluster could be reached; nothing was sent. */
  'cli.no_gateway_pod': {
    exit: EXIT.unreachable,
    advice: '`aip doctor` says what is wrong; --gateway URL goes another way.',
  },
  /** The Secret with the principals is missing, is not one, or changed at every try. */
  'cli.principals_unusable': { exit: EXIT.failed },
  /** The registry's database does not answer. */
  'cli.registry_unreachable': { exit: EXIT.unreachable, advice: 'Is `aip dev` running?' },
  /** The running `aip dev` refused to drain or resume the replica. */
  'cli.replica_not_changed': { exit: EXIT.failed },
  /** The user lacks a right in the cluster. */
  'cli.right_missing': { exit: EXIT.failed },
  /** The stopped `aip dev` has not ended in time. */
  'cli.still_running': { exit: EXIT.gaveUp },
  /** The Secret that is to be rotated is missing. */
  'cli.trust_missing': {
    exit: EXIT.failed,
    advice: 'The controller makes it at its start: `aip doctor` shows whether it runs.',
  },
  /** The words name no command. */
  'cli.unknown_command': { exit: EXIT.usage, advice: '`aip help` lists the commands.' },
  /** The command was called wrongly; nothing was sent. */
  'cli.usage': { exit: EXIT.usage },
} as const satisfies Record<string, { exit: number; advice?: string }>;

/** A failure of the CLI itself: the code of a row, and what was wrong. `advice` replaces that of the row. */
export class CliError extends ClientError {
  readonly code: keyof typeof FAILURES;
  readonly exit: number;
  constructor(code: keyof typeof FAILURES, message: string, advice?: string) {
    const failure: { exit: number; advice?: string } = FAILURES[code];
    super(message, advice ?? failure.advice);
    this.code = code;
    this.exit = failure.exit;
  }
}

/** The command was called wrongly; nothing was sent. */
export class UsageError extends CliError {
  constructor(message: string, advice?: string) {
    super('cli.usage', message, advice);
  }
}

/** No gateway Pod of a cluster could be reached; nothing was sent. */
export class NoGatewayPod extends CliError {
  constructor(problem: string, cause?: unknown) {
    super('cli.no_gateway_pod', problem);
    this.cause = cause;
  }
}

/** The user lacks a right in the cluster; trying again changes nothing. */
export class RightMissing extends CliError {
  override readonly final = true;
  constructor(message: string, advice: string) {
    super('cli.right_missing', message, advice);
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
    'auth.tenant_mismatch': 'The token is of another tenant; name one of that tenant with --token-file.',
    'action.result_not_ready': 'The action has not ended: follow it with `aip actions follow`.',
    'action.not_found': 'Check the id; `aip actions list` shows the actions you may see.',
    'resource.not_found': 'Check the name; `aip capabilities` shows what your tenant may call.',
    'connector_catalog.tenant_required': 'The token has no tenant; make one with `aip tokens create --tenant`.',
    'connector_catalog.stale_cursor': 'The catalog changed while it was being read; run the command again.',
    'connector.binding_unavailable':
      'No instance of your tenant serves this capability; `aip capabilities` shows those that do.',
    'connector.replica_unavailable': 'No host is ready; `aip fleet status` shows why.',
    'action.input_schema_invalid': `\`aip capabilities get ${capability}\` shows what the input must be.`,
    'execution.mode_unsupported': `\`aip capabilities get ${capability}\` shows its modes; name one with --mode.`,
    'policy.approval_denied': 'A person denied it; `aip actions explain ID` shows who, and why.',
    'idempotency.required': 'Add --idempotency-key KEY; a repeat under the same key gives the first result.',
    'policy.approver_unauthorized':
      '`aip approvals get ID` shows who may decide; the APPROVAL_AUTHORITY_FILE of the gateway says who has that role, group or policy.',
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

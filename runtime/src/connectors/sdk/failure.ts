import { AipError, ForeignCode } from '../../protocol/errors.js';
import type { ErrorCategory, ProtocolError } from '../../protocol/types.js';

/** What the connector was doing when it failed (docs/protocol/manifest.md#failures-of-a-connector). */
export type ConnectorOperation =
  | 'discovery'
  | 'admission'
  | 'invocation'
  | 'cancellation'
  | 'streaming'
  | 'health'
  | 'transaction_plan'
  | 'transaction_commit'
  | 'reconciliation'
  | 'compensation'
  | 'emission'
  | 'ingestion';

/** Members of a failure; texts and details must not hold secrets or bodies. */
export interface FailureInit {
  /** Namespaced, like `connector.demo.refused`. */
  code: string;
  message: string;
  /** Default connector. */
  category?: ErrorCategory;
  /** May the same action run again? Default false. */
  retryable?: boolean;
  retryAfterMs?: number;
  providerRequestId?: string;
  /** Reference by which the operation can be reconciled. */
  providerOperation?: { provider: string; operation_id: string; request_id?: string };
  /** HTTP status of the provider. */
  remoteStatus?: number;
  /** An effect may exist although the call failed. Default false. */
  uncertainOutcome?: boolean;
  redactedDetails?: unknown;
  /** Default: the operation that the host had called. */
  operation?: ConnectorOperation;
  cause?: unknown;
}

const FAILURE = Symbol.for('aip.connector.failure');

/** A typed failure of a connector call; the action ends `failed` with the protocol error made of it. */
export class ConnectorFailure extends AipError {
  readonly init: FailureInit;
  readonly [FAILURE] = true;

  constructor(init: FailureInit) {
    super(new ForeignCode(init.code, init.category ?? 'connector', init.message), init.message, {
      retryable: init.retryable ?? false,
      ...(init.retryAfterMs !== undefined && { retryAfterMs: init.retryAfterMs }),
      ...(init.cause !== undefined && { cause: init.cause }),
    });
    this.init = init;
  }

  /** Code, message, category and retry facts unchanged; the rest in `details`, nulls kept (docs/protocol/manifest.md#failures-of-a-connector). */
  projected(source: string, operation: ConnectorOperation): ProtocolError {
    const { init } = this;
    return {
      ...this.toProtocolError(source),
      details: {
        operation: init.operation ?? operation,
        provider_request_id: init.providerRequestId ?? null,
        provider_operation: init.providerOperation ?? null,
        remote_status: init.remoteStatus ?? null,
        uncertain_outcome: init.uncertainOutcome ?? false,
        details: init.redactedDetails ?? null,
      },
    };
  }
}

/** Whether it is a ConnectorFailure, also one of another copy of the SDK: a connector may have its own beside the host's. */
export function isConnectorFailure(value: unknown): value is ConnectorFailure {
  return typeof value === 'object' && value !== null && FAILURE in value;
}

/** The connector has no such call. */
export class OperationUnsupported extends ConnectorFailure {
  constructor(operation: ConnectorOperation) {
    super({
      code: 'connector.operation_unsupported',
      message: 'the connector does not implement this operation',
      category: 'permanent',
      operation,
    });
  }
}

/**
 * Whatever a connector threw, as a protocol error. A failure without a type is connector.operation_failed and keeps its text to
 * itself, because it may hold anything; for a capability with effects its outcome is uncertain.
 */
export function projectFailure(
  thrown: unknown,
  at: { source: string; operation: ConnectorOperation; mutates: boolean },
): ProtocolError {
  if (isConnectorFailure(thrown)) return thrown.projected(at.source, at.operation);
  if (thrown instanceof AipError) return thrown.toProtocolError(at.source);
  return new ConnectorFailure({
    code: 'connector.operation_failed',
    message: 'the connector call failed',
    uncertainOutcome: at.mutates,
    cause: thrown,
  }).projected(at.source, at.operation);
}

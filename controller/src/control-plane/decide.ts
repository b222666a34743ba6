import {
  AipError,
  ControlRejected,
  decodeLifecycleRequest,
  type LeaseOutcome,
  verifyValue,
  windowProblem,
} from '@aip/runtime/internal/messages';
import { type Clock, isId, isPlainId, parseTime, type SignedLifecycleRequest } from '@aip/runtime/internal/protocol';
import { type Registry, replicaIdOf, UNTRUSTED_SIGNER } from '@aip/runtime/internal/registry';

/** What decisions are made from. */
export interface DecisionDeps {
  readonly registry: Pick<Registry, 'lifecycle' | 'replicas'>;
  readonly clock: Clock;
  readonly leaseTtlMs: number;
}

/** The outcome of one request and the HTTP status it is answered with (docs/protocol/control-plane.md#response). */
export interface Decision {
  readonly requestId: string;
  readonly status: 200 | 403 | 503;
  readonly outcome: LeaseOutcome;
  /** Why a request was refused, for the log. */
  readonly reason?: string;
  /** Why it could not be decided, for the log. */
  readonly cause?: unknown;
}

const MAX_MESSAGE_BYTES = 1024;

/** Reads a request; throws `connector_control.invalid_request` for what cannot be decoded, so that it is answered unsigned. */
export function readRequest(value: unknown): SignedLifecycleRequest {
  const wrapper = decodeLifecycleRequest(value);
  if (!isId('message', wrapper.request.request_id))
    throw new AipError('connector_control.invalid_request', 'request.request_id must be a message id: msg_ and more');
  return wrapper;
}

/** Checks window, signer and signature in that order, then commits the command (docs/protocol/control-plane.md#checks). Never throws. */
export async function decide(deps: DecisionDeps, wrapper: SignedLifecycleRequest): Promise<Decision> {
  const { request_id: requestId } = wrapper.request;
  try {
    const outcome = await accepted(deps, wrapper);
    return { requestId, status: 200, outcome };
  } catch (cause) {
    const refused = cause instanceof ControlRejected;
    const error = refused ? cause : new AipError('connector_control.unavailable');
    const { code, message, retryable } = error;
    const text = Buffer.from(message).subarray(0, MAX_MESSAGE_BYTES).toString();
    return {
      requestId,
      status: refused ? 403 : 503,
      outcome: { status: 'rejected', code, message: text, retryable },
      ...(refused ? { reason: cause.message } : { cause }),
    };
  }
}

async function accepted(
  { registry, clock, leaseTtlMs }: DecisionDeps,
  wrapper: SignedLifecycleRequest,
): Promise<LeaseOutcome> {
  const { request, signature } = wrapper;
  const problem = windowProblem(request, clock());
  if (problem) throw new ControlRejected(problem);
  const replicaId = replicaIdOf(request.command);
  const { signer_did: signerDid } = request;
  if (!isPlainId(replicaId) || !(await registry.replicas.isPeer(replicaId, signerDid)))
    throw new ControlRejected(UNTRUSTED_SIGNER);
  if (!(await verifyValue(signerDid, request, signature).catch(() => false)))
    throw new ControlRejected('the signature does not match the request');
  return registry.lifecycle.commit(
    { requestId: request.request_id, expiresAt: parseTime(request.expires_at), signerDid, command: request.command },
    leaseTtlMs,
  );
}

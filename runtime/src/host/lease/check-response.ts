import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import { decodeLifecycleResponse, type LeaseOutcome, verifyValue, windowProblem } from '../../protocol/lifecycle.js';
import { LeaseRefused, LeaseUncertain } from './errors.js';

/** What the control plane committed. `expiresAt` in milliseconds since the epoch. */
export type CommittedOutcome = Exclude<LeaseOutcome, { status: 'rejected' }>;

/** What a trusted answer must match. */
export interface ExpectedResponse {
  requestId: string;
  /** The DIDs of the trusted control plane. */
  controlDids: readonly string[];
  now: number;
}

const UNAVAILABLE = 'connector_control.unavailable';

/**
 * Verifies a lifecycle response: request id, signer, window, signature, then the outcome (docs/protocol/control-plane.md#client). The HTTP status plays no part.
 * Throws LeaseRefused for a signed final rejection. Everything else that is not a trusted answer is LeaseUncertain: it says nothing about
 * what was committed.
 */
export async function checkResponse(text: string, expected: ExpectedResponse): Promise<CommittedOutcome> {
  const { response, outcome, signature } = decoded(text);
  if (response.request_id !== expected.requestId) throw new LeaseUncertain('the answer belongs to another request');
  if (!expected.controlDids.includes(response.signer_did))
    throw new LeaseUncertain('the answer is not of the trusted control plane');
  const problem = windowProblem(response, expected.now);
  if (problem !== undefined) throw new LeaseUncertain(`the answer is refused: ${problem}`);
  if (!(await verifyValue(response.signer_did, response, signature))) {
    throw new LeaseUncertain('the signature of the answer is wrong');
  }
  if (outcome.status !== 'rejected') return outcome;
  const retryable = outcome.retryable ?? outcome.code === UNAVAILABLE;
  throw retryable ? new LeaseUncertain(outcome.message) : new LeaseRefused(outcome.message);
}

function decoded(text: string): ReturnType<typeof decodeLifecycleResponse> {
  try {
    return decodeLifecycleResponse(parseJson(text));
  } catch (cause) {
    if (cause instanceof AipError) throw new LeaseUncertain('the answer is not a lifecycle response', { cause });
    throw cause;
  }
}

import { ConnectorFailure, type FailureInit } from '../sdk/failure.js';

/** A call of a provider, as its failures report it. */
export interface FailedCall {
  /** Type of the connector; begins the codes, `connector.<type>.…`. */
  type: string;
  /** May an effect exist when the answer is lost? */
  mutates: boolean;
  /** Reported in the details, such as `{ twenty_operation: 'openapi.core' }`. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** What is known of an answer that is a failure. */
export interface FailedAnswer {
  status: number;
  requestId: string | null;
  retryAfterMs?: number | undefined;
  /** Bounded text members of the provider's error body. */
  providerError?: Readonly<Record<string, unknown>> | undefined;
}

/** The failure of an answer with a status other than 2xx; redirects are among them. */
export function statusFailure(call: FailedCall, answer: FailedAnswer): ConnectorFailure {
  const { status, requestId, retryAfterMs, providerError } = answer;
  return failure(call, {
    ...kindOf(status),
    ...(status >= 500 && { uncertainOutcome: call.mutates }),
    remoteStatus: status,
    ...(requestId !== null && { providerRequestId: requestId }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    redactedDetails: { ...call.details, ...(providerError && { provider_error: providerError }) },
  });
}

function kindOf(status: number): Pick<FailureInit, 'code' | 'message' | 'category' | 'retryable'> {
  if (status === 401 || status === 403)
    return {
      code: 'authentication',
      message: `the provider refused the credential of the instance (${status}); check its secret and permissions`,
      category: 'auth',
    };
  if (status === 429 || status >= 500)
    return {
      code: 'remote_temporary',
      message: `the provider is temporarily unavailable (${status})`,
      category: 'temporary',
      retryable: true,
    };
  return { code: 'remote_rejected', message: `the provider refused the request (${status})`, category: 'permanent' };
}

/** No complete answer came. `sent` false: no byte of the request can have arrived. */
export function transportFailure(
  call: FailedCall,
  why: string,
  facts: { sent: boolean; status?: number | undefined; cause?: unknown },
): ConnectorFailure {
  return failure(call, {
    code: 'transport',
    message: `the provider did not answer: ${why}`,
    category: 'temporary',
    retryable: true,
    uncertainOutcome: call.mutates && facts.sent,
    ...(facts.status !== undefined && { remoteStatus: facts.status }),
    redactedDetails: { ...call.details },
    cause: facts.cause,
  });
}

/** A successful answer that cannot be used: too large, or not JSON. */
export function invalidResponse(
  call: FailedCall,
  why: string,
  answer: FailedAnswer,
  cause?: unknown,
): ConnectorFailure {
  return failure(call, {
    code: 'invalid_response',
    message: `the answer of the provider ${why}`,
    uncertainOutcome: call.mutates,
    remoteStatus: answer.status,
    ...(answer.requestId !== null && { providerRequestId: answer.requestId }),
    redactedDetails: { ...call.details },
    cause,
  });
}

/** Input that the connector does not take. */
export function invalidRequest(call: FailedCall, message: string): ConnectorFailure {
  return failure(call, {
    code: 'invalid_request',
    message,
    category: 'permanent',
    redactedDetails: { ...call.details },
  });
}

/** The credential of the instance cannot be used. */
export function unusableCredential(call: FailedCall, message: string, cause?: unknown): ConnectorFailure {
  return failure(call, {
    code: 'authentication',
    message,
    category: 'auth',
    redactedDetails: { ...call.details },
    cause,
  });
}

function failure({ type }: FailedCall, init: FailureInit): ConnectorFailure {
  return new ConnectorFailure({ ...init, code: `connector.${type}.${init.code}` });
}

import { canonicalBytes } from './canonical.js';
import type { Clock } from './clock.js';
import { decoded } from './decode/normal-form.js';
import { receivedOf } from './decode/received.js';
import { digestOf } from './digest.js';
import { AipError } from './errors/aip-error.js';
import { newId } from './ids.js';
import { LIFECYCLE_LIFETIME_MS, LIFECYCLE_SKEW_MS } from './limits.js';
import { type SigningKey, verifySignature } from './signing.js';
import { formatTime, leaseArray, parseLeaseArray, parseTime } from './time.js';
import type { LifecycleCommand, LifecycleOutcome, LifecycleRequest, SignedLifecycleRequest } from './types.js';
import { check, type SchemaName } from './validate.js';

export type {
  ConnectorHostRegistration,
  FenceCommand,
  HeartbeatCommand,
  LifecycleCommand,
  LifecycleOutcome,
  LifecycleRequest,
  ReplicaRecord,
  SignedLifecycleRequest,
} from './types.js';

/** The signed value of the control plane's answer: the outcome stands directly in it (docs/protocol/control-plane.md#response). */
export type LifecycleResponse = {
  request_id: string;
  issued_at: string;
  expires_at: string;
  signer_did: string;
} & LifecycleOutcome;

/** What the control plane sends. */
export interface SignedLifecycleResponse {
  response: LifecycleResponse;
  signature: string;
}

/** Response header to a drain: how many actions are pinned to the replica and not ended, a hint beside the signed answer. */
export const PINNED_WORK = 'aip-pinned-work';

/** An outcome as the host uses it; `expiresAt` in milliseconds since the epoch. `pinned`, after a drain: actions that are not ended. */
export type LeaseOutcome =
  | { status: 'lease'; sequence: number; expiresAt: number; pinned?: number | undefined }
  | { status: 'offline' }
  | { status: 'rejected'; code: string; message?: string; retryable?: boolean };

/** Base64 Ed25519 signature over the canonical form of a value (not of the wrapper around it). */
export function signValue(value: unknown, key: SigningKey): Promise<string> {
  return key.sign(canonicalBytes(value));
}

/** Whether `signature` is the DID's over the value as it was received. Throws `auth.signature.invalid` for an unusable DID. */
export async function verifyValue(did: string, value: object, signature: string): Promise<boolean> {
  return verifySignature(did, canonicalBytes(receivedOf(value)), signature);
}

/** Digest that decides whether a repeated request id is the same request; times and signature are not in it. */
export function lifecycleDigest(request: { request_id: string; operation: string; payload: unknown }): string {
  return digestOf({ request_id: request.request_id, operation: request.operation, payload: request.payload });
}

/** A new request around a command, valid for 30 seconds from now. */
export function newLifecycleRequest(
  command: LifecycleCommand,
  { did, clock }: { did: string; clock: Clock },
): LifecycleRequest {
  return { request_id: newId('message', clock), ...window(did, clock), command };
}

/** The answer to a request, valid for 30 seconds from now. */
export function newLifecycleResponse(
  requestId: string,
  outcome: LeaseOutcome,
  { did, clock }: { did: string; clock: Clock },
): LifecycleResponse {
  return { request_id: requestId, ...window(did, clock), ...wireOutcome(outcome) };
}

function window(did: string, clock: Clock) {
  const now = clock();
  return { issued_at: formatTime(now), expires_at: formatTime(now + LIFECYCLE_LIFETIME_MS), signer_did: did };
}

function wireOutcome(outcome: LeaseOutcome): LifecycleOutcome {
  if (outcome.status !== 'lease') return outcome;
  return { status: 'lease', lease: { sequence: outcome.sequence, expires_at: leaseArray(outcome.expiresAt) } };
}

/** Reads the wrapper of a lifecycle request. Throws `connector_control.invalid_request`: members missing, unknown or of the wrong type. */
export function decodeLifecycleRequest(value: unknown): SignedLifecycleRequest {
  return shaped('SignedLifecycleRequest', value) as SignedLifecycleRequest;
}

/**
 * Reads the wrapper of a lifecycle answer: the contract's form, or the outcome in an object `outcome` of its own as
 * other implementations write it. The signature must be verified over `response` as it stands here. Throws
 * `connector_control.invalid_request`.
 */
export function decodeLifecycleResponse(value: unknown): {
  response: Omit<LifecycleResponse, 'status'>;
  outcome: LeaseOutcome;
  signature: string;
} {
  const { response, signature } = (value ?? {}) as { response?: Record<string, unknown>; signature?: unknown };
  const texts = [signature, response?.request_id, response?.issued_at, response?.expires_at, response?.signer_did];
  if (typeof response !== 'object' || texts.some((text) => typeof text !== 'string')) {
    throw new AipError(
      'connector_control.invalid_request',
      'the answer of the control plane lacks members of the lifecycle response',
    );
  }
  const { request_id: _1, issued_at: _2, expires_at: _3, signer_did: _4, ...flat } = response;
  const outcome = readOutcome(shaped('LifecycleOutcome', 'status' in response ? flat : response.outcome));
  return { response: response as unknown as LifecycleResponse, outcome, signature: signature as string };
}

function readOutcome(outcome: LifecycleOutcome): LeaseOutcome {
  if (outcome.status !== 'lease') return outcome;
  const { sequence, expires_at } = outcome.lease;
  return { status: 'lease', sequence, expiresAt: leaseEnd(expires_at) };
}

function leaseEnd(items: number[]): number {
  try {
    return parseLeaseArray(items);
  } catch (error) {
    throw new AipError('connector_control.invalid_request', `/lease/expires_at: ${(error as Error).message}`);
  }
}

function shaped<N extends SchemaName>(name: N, value: unknown) {
  const [issue] = check(name, value);
  if (issue !== undefined)
    throw new AipError('connector_control.invalid_request', `${issue.path || name} ${issue.message}`, {
      details: issue,
    });
  try {
    return decoded(name, value);
  } catch (error) {
    throw new AipError('connector_control.invalid_request', (error as Error).message, { cause: error });
  }
}

/**
 * Why the window of a request or response is not acceptable now, or undefined: issued at most 5 seconds ahead, not yet
 * expired, ends after it begins, lives at most 30 seconds (docs/protocol/control-plane.md#request).
 */
export function windowProblem(signed: { issued_at: string; expires_at: string }, now: number): string | undefined {
  let issued: number;
  let expires: number;
  try {
    issued = parseTime(signed.issued_at);
    expires = parseTime(signed.expires_at);
  } catch (error) {
    return (error as Error).message;
  }
  if (issued > now + LIFECYCLE_SKEW_MS) return 'issued_at lies more than 5 seconds in the future; check the clocks';
  if (expires <= now) return 'expires_at has passed; check the clocks';
  if (expires <= issued) return 'expires_at must be after issued_at';
  if (expires - issued > LIFECYCLE_LIFETIME_MS) return 'the lifetime is longer than 30 seconds';
  return undefined;
}

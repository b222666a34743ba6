import type { Clock } from '../../../protocol/clock.js';
import { type Envelope, newEnvelope } from '../../../protocol/envelope.js';
import { AipError, aipErrorOf, RemoteError } from '../../../protocol/errors.js';
import type { DelegationResult, Principal, ProtocolError } from '../../../protocol/types.js';
import { doubling } from '../../../time/retry.js';
import { PeerTransportFailed } from '../../../transport/peer/errors.js';
import { type Forwarding, forwardedRequest } from './forward.js';
import type { StoredDelegation } from './record.js';
import { childOf, idsOf, isTerminal } from './rules.js';
import { belongs, receivedResult, sentRequest } from './sent-ids.js';

/** Deliveries of one delegation in all, and the pauses between them, in milliseconds. */
export const MAX_ATTEMPTS = 5;
const pauseMs = doubling(250, 30_000);
/** A delivery whose gateway is lost is taken over after this time. */
export const LEASE_MS = 300_000;

/** The way to the peer that runs a delegation. */
export interface DelegateLink {
  readonly principal: Pick<Principal, 'id' | 'kind'>;
  /** Set where delegations go out in this gateway's own name. */
  readonly forward?: Forwarding | undefined;
  /** Signs and sends an envelope and returns the verified answer. Throws as PeerClient.send. */
  send(envelope: Envelope): Promise<Envelope>;
}

/** How one attempt to deliver ended. */
export type DeliveryEnd =
  | { readonly kind: 'answered'; readonly result: DelegationResult }
  | { readonly kind: 'again'; readonly afterMs: number; readonly error: ProtocolError }
  | { readonly kind: 'failed'; readonly result: DelegationResult; readonly deadLettered: boolean };

/**
 * Sends a delegation to its delegate, signed, with the delegation id as Idempotency-Key, and returns what its answer
 * means. A delegate knows a delegation by its id, so another attempt starts no second work.
 */
export async function deliver(link: DelegateLink, delegation: StoredDelegation, clock: Clock): Promise<DeliveryEnd> {
  const { attempts } = delegation;
  try {
    const { created_at: createdAt } = delegation;
    const named = sentRequest(delegation);
    const request = link.forward ? forwardedRequest(named, link.forward, createdAt) : named;
    const sent = { ...request, child_action: childOf(request, createdAt) };
    const answer = await link.send(newEnvelope({ delegation_request: sent }, {}, { clock }));
    const { delegation_result: result } = answer.body as { delegation_result?: DelegationResult };
    if (!result || !belongs(result, delegation))
      throw new AipError('runtime.handler_failed', 'the delegate answered with another delegation', {
        retryable: false,
      });
    return { kind: 'answered', result: receivedResult(result, delegation) };
  } catch (error) {
    const known = aipErrorOf(error);
    // The delegate has the message already, and its answer was lost: another message asks where the delegation stands.
    const received = known.code === 'replay.message_id';
    const again =
      error instanceof PeerTransportFailed || (error instanceof RemoteError && (known.retryable || received));
    const reported = known.toProtocolError('aip-runtime');
    if (again && attempts < MAX_ATTEMPTS)
      return { kind: 'again', afterMs: Math.max(pauseMs(attempts - 1), known.retryAfterMs ?? 0), error: reported };
    return { kind: 'failed', result: failedResult(delegation, reported), deadLettered: again };
  }
}

/** What an attempt leaves; `error` is why its delivery is made again, or was given up. */
export function afterDelivery(end: DeliveryEnd, nowMs: number) {
  if (end.kind === 'again')
    return {
      status: 'running',
      result: null,
      delivery: 'pending',
      nextAttemptAt: nowMs + end.afterMs,
      completedAt: null,
      error: end.error,
    } as const;
  const { result } = end;
  const over = isTerminal(result.status);
  return {
    status: over ? result.status : ('running' as const),
    result: over ? result : null,
    delivery: end.kind === 'failed' && end.deadLettered ? ('dead_lettered' as const) : ('delivered' as const),
    nextAttemptAt: null,
    completedAt: over ? nowMs : null,
    error: end.kind === 'failed' && end.deadLettered ? result.error : undefined,
  };
}

function failedResult(delegation: StoredDelegation, error: ProtocolError): DelegationResult {
  return { ...idsOf(delegation), status: 'failed', error };
}

import type { Envelope } from '../../protocol/envelope.js';
import { verifyEnvelope } from '../../protocol/envelope.js';
import { NotAuthorized } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import { ANSWER_FRESHNESS_MS } from '../../protocol/limits.js';
import { parseTime } from '../../protocol/time.js';
import type { Principal } from '../../protocol/types.js';

/** The peer that must have answered. */
export interface ExpectedPeer {
  principal: Pick<Principal, 'id' | 'kind'>;
  did: string;
  /** Compared with the sender's trust domain when given. */
  trustDomain?: string | undefined;
}

/**
 * Checks that an answer was signed by exactly this peer for exactly this request, and now: DID, signature, principal, trust domain,
 * recipient, correlation, in_response_to, then sent_at within 5 minutes of `now` either way (docs/protocol/signing.md#the-signed-http-exchange).
 * `request` is the signed request. Throws NotAuthorized: nothing of the answer is used then, and it is not requested again.
 */
export async function verifyAnswer(
  answer: Envelope,
  request: Envelope,
  peer: ExpectedPeer,
  now: number,
): Promise<void> {
  const refuse = (what: string, cause?: unknown): NotAuthorized =>
    new NotAuthorized(`the answer of ${peer.principal.id} ${what}`, { cause });
  if (didOf(answer) !== peer.did) throw refuse('does not carry the DID of the peer');
  try {
    await verifyEnvelope(answer);
  } catch (error) {
    throw refuse('has no valid signature', error);
  }
  const { from, to } = answer;
  if (!samePrincipal(from, peer.principal)) throw refuse('comes from another principal');
  if (from?.did !== undefined && from.did !== peer.did) throw refuse('names another DID for its sender');
  if (peer.trustDomain !== undefined && from?.trust_domain !== peer.trustDomain) {
    throw refuse('comes from another trust domain');
  }
  if (
    !samePrincipal(to, request.from) ||
    differs(to?.did, request.from?.did) ||
    differs(to?.trust_domain, request.from?.trust_domain)
  ) {
    throw refuse('is not addressed to the sender of the request');
  }
  if (answer.correlation_id !== request.correlation_id) throw refuse('has another correlation_id');
  if (answer.in_response_to !== request.message_id) throw refuse('does not answer this request');
  if (Math.abs(parseTime(answer.sent_at) - now) > ANSWER_FRESHNESS_MS) throw refuse('is not fresh');
}

function didOf(envelope: Envelope): unknown {
  const { security } = envelope;
  return typeof security === 'object' && security !== null ? (security as { did?: unknown }).did : undefined;
}

/** Two optional members disagree only when both are present. */
function differs(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

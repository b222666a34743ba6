import type { Callback, DelegationRequest, Principal } from '../../../protocol/types.js';
import { childOf } from './rules.js';

/** How delegations go out in the gateway's own name. */
export interface Forwarding {
  readonly gateway: Pick<Principal, 'id' | 'kind'>;
  /** Where delegates report the ends that they did not answer with. */
  readonly callback: Callback;
}

/** Whom a delegation passes on its way from the requester to its delegate. */
export function pathOf(
  { requested_by, delegate }: DelegationRequest,
  forward: Forwarding | undefined,
): Pick<Principal, 'id'>[] {
  return forward === undefined || forward.gateway.id === requested_by.id ? [delegate] : [forward.gateway, delegate];
}

/**
 * A request as a delegate gets it that knows the gateway and none of its callers: requested by the gateway, which is a hop of its own between
 * requester and delegate. The requester's callback gets its message from the gateway alone.
 */
export function forwardedRequest(
  request: DelegationRequest,
  { gateway, callback }: Forwarding,
  nowMs: number,
): DelegationRequest {
  const handed =
    gateway.id === request.requested_by.id ? request.child_action : childOf({ ...request, delegate: gateway }, nowMs);
  return { ...request, requested_by: { id: gateway.id, kind: gateway.kind }, child_action: handed, callback };
}

import { AipError, NotAuthorized } from '../../../protocol/errors.js';
import { samePrincipal } from '../../../protocol/identity/principal.js';
import { isPlainId } from '../../../protocol/ids.js';
import { MAX_DELEGATION_HOPS } from '../../../protocol/limits.js';
import { formatTime } from '../../../protocol/time.js';
import type { Action, ActionResult, DelegationRequest, DelegationResult, Principal } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';

/**
 * Checks a delegation against its sender: the requester is the caller, the chain is contiguous, ends at the requester, comes back to nobody of
 * `path`, and has room for one more hop to each of them. A hop to the delegate that the sender recorded counts as one of those. Throws
 * `action.invalid_input`, NotAuthorized.
 */
export function checkDelegation(
  identity: Identity,
  request: DelegationRequest,
  path: readonly Pick<Principal, 'id'>[] = [request.delegate],
): void {
  const { requested_by: requester, delegation_id: id, parent_action_id: parent, child_action: child } = request;
  for (const [member, text] of Object.entries({
    delegation_id: id,
    parent_action_id: parent,
    'child_action.id': child.id,
  }))
    if (!isPlainId(text))
      throw new AipError('action.invalid_input', `${member} must be 1 to 256 bytes without control characters`);
  if (!samePrincipal(requester, identity.principal))
    throw new NotAuthorized('requested_by of a delegation must be its sender');
  const hops = child.delegation_chain ?? [];
  const chain = isRecorded(request) ? hops.slice(0, -1) : hops;
  if (chain.length + path.length > MAX_DELEGATION_HOPS)
    throw new NotAuthorized(`a delegation chain has at most ${MAX_DELEGATION_HOPS} hops`);
  if (chain.some((hop, index) => index > 0 && hop.from.id !== chain[index - 1]?.to.id))
    throw new NotAuthorized('the delegation chain is not contiguous');
  if (chain.length > 0 && chain.at(-1)?.to.id !== requester.id)
    throw new NotAuthorized('the delegation chain does not end at the requester');
  const before = new Set([requester.id, ...chain.flatMap(({ from, to }) => [from.id, to.id])]);
  if (path.some(({ id: next }) => before.has(next)))
    throw new NotAuthorized('the delegate is in the delegation chain already');
}

/** The child action with the hop from the requester to the delegate, which its sender may have recorded already. */
export function childOf(request: DelegationRequest, nowMs: number): Action {
  const { child_action: child, requested_by, delegate, scope } = request;
  if (isRecorded(request)) return child;
  const bare = ({ id, kind }: typeof delegate): { id: string; kind: typeof delegate.kind } => ({ id, kind });
  const hop = { from: bare(requested_by), to: bare(delegate), scope, delegated_at: formatTime(nowMs) };
  return { ...child, delegation_chain: [...(child.delegation_chain ?? []), hop] };
}

function isRecorded({ child_action: child, requested_by, delegate, scope }: DelegationRequest): boolean {
  const last = child.delegation_chain?.at(-1);
  return samePrincipal(last?.from, requested_by) && samePrincipal(last?.to, delegate) && last?.scope === scope;
}

/** The outcome of a delegation by the result of its child action. */
export function statusOf({ status }: Pick<ActionResult, 'status'>): DelegationResult['status'] {
  return status === 'pending_approval' ? 'requires_human' : status;
}

/** Whether nothing follows a status. */
export function isTerminal(status: DelegationResult['status']): boolean {
  return status !== 'accepted' && status !== 'running';
}

/** The ids by which every message of a delegation names it. */
export function idsOf({
  delegation_id,
  request,
}: {
  readonly delegation_id: string;
  readonly request: Pick<DelegationRequest, 'parent_action_id' | 'child_action'>;
}): Pick<DelegationResult, 'delegation_id' | 'parent_action_id' | 'child_action_id'> {
  const { parent_action_id, child_action } = request;
  return { delegation_id, parent_action_id, child_action_id: child_action.id };
}

import { ActionInputInvalid, NotAuthorized } from '../../../protocol/errors.js';
import { samePrincipal } from '../../../protocol/identity/principal.js';
import { isPlainId } from '../../../protocol/ids.js';
import { MAX_DELEGATION_HOPS } from '../../../protocol/limits.js';
import { formatTime } from '../../../protocol/time.js';
import type { Action, ActionResult, DelegationRequest, DelegationResult } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';

/**
 * Checks a delegation against its sender: the requester is the caller, the chain is contiguous, ends at the requester
 * and does not come back to the delegate, and has room for one more hop. Throws ActionInputInvalid, NotAuthorized.
 */
export function checkDelegation(identity: Identity, request: DelegationRequest): void {
  const {
    requested_by: requester,
    delegate,
    delegation_id: id,
    parent_action_id: parent,
    child_action: child,
  } = request;
  for (const [member, text] of Object.entries({
    delegation_id: id,
    parent_action_id: parent,
    'child_action.id': child.id,
  }))
    if (!isPlainId(text)) throw new ActionInputInvalid(`${member} must be 1 to 256 bytes without control characters`);
  if (!samePrincipal(requester, identity.principal))
    throw new NotAuthorized('requested_by of a delegation must be its sender');
  const chain = child.delegation_chain ?? [];
  if (chain.length >= MAX_DELEGATION_HOPS)
    throw new NotAuthorized(`a delegation chain has at most ${MAX_DELEGATION_HOPS} hops`);
  if (chain.some((hop, index) => index > 0 && hop.from.id !== chain[index - 1]?.to.id))
    throw new NotAuthorized('the delegation chain is not contiguous');
  if (chain.length > 0 && chain.at(-1)?.to.id !== requester.id)
    throw new NotAuthorized('the delegation chain does not end at the requester');
  if (delegate.id === requester.id || chain.some((hop) => hop.from.id === delegate.id || hop.to.id === delegate.id))
    throw new NotAuthorized('the delegate is in the delegation chain already');
}

/** The child action with the hop from the requester to the delegate. */
export function childOf(
  { child_action: child, requested_by, delegate, scope }: DelegationRequest,
  nowMs: number,
): Action {
  const bare = ({ id, kind }: typeof delegate): { id: string; kind: typeof delegate.kind } => ({ id, kind });
  const hop = { from: bare(requested_by), to: bare(delegate), scope, delegated_at: formatTime(nowMs) };
  return { ...child, delegation_chain: [...(child.delegation_chain ?? []), hop] };
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

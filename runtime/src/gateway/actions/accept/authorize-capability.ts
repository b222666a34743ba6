import { NotAuthorized } from '../../../protocol/errors.js';
import type { Action, Principal } from '../../../protocol/types.js';

const ALLOWED_KINDS: ReadonlySet<Principal['kind']> = new Set(['human', 'agent', 'service', 'system']);
const MAX_DELEGATION_DEPTH = 10;

/**
 * Whether a principal may invoke a capability (docs/protocol/actions.md#order-of-acceptance). Throws NotAuthorized with
 * the reason.
 */
export function authorizeCapability(principal: Principal, action: Action): void {
  const refuse = (reason: string): never => {
    throw new NotAuthorized('the principal may not invoke the capability', { details: { reason } });
  };
  if (!ALLOWED_KINDS.has(principal.kind)) refuse('principal_kind_denied');
  const chain = action.delegation_chain ?? [];
  if (chain.length > MAX_DELEGATION_DEPTH) refuse('delegation_depth_exceeded');
  for (const hop of chain) if (hop.scope.trim() === '') refuse(`delegation_empty_scope:${hop.from.id}:${hop.to.id}`);
  const last = chain.at(-1);
  if (last && last.to.id !== principal.id) refuse('delegation_terminal_principal_mismatch');
}

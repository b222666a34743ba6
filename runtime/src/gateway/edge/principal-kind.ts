import type { Principal } from '../../protocol/types.js';

const KINDS: readonly Principal['kind'][] = ['human', 'service', 'system', 'tenant', 'customer', 'contact'];

/**
 * The principal that a configured id names: its kind is the word before the first colon, agent for every other (
 * docs/protocol/signing.md#trusted-signers-and-scopes).
 */
export function principalOfId(id: string): Principal {
  const prefix = id.slice(0, Math.max(0, id.indexOf(':')));
  return { id, kind: KINDS.find((kind) => kind === prefix) ?? 'agent' };
}

import type { Principal, PrincipalKind } from '../types.js';

/** Whether two principals are the same one: equal id and kind. Trust domain and DID are compared where a rule says so. */
export function samePrincipal(
  a: Pick<Principal, 'id' | 'kind'> | undefined,
  b: Pick<Principal, 'id' | 'kind'> | undefined,
): boolean {
  return a !== undefined && b !== undefined && a.id === b.id && a.kind === b.kind;
}

const KINDS_BY_PREFIX = new Set<string>(['human', 'service', 'system', 'tenant', 'customer', 'contact']);

/** Kind of a configured principal, from the part of its id before the first colon; otherwise agent (docs/protocol/signing.md#trusted-signers-and-scopes). */
export function principalKindOf(id: string): PrincipalKind {
  const prefix = id.slice(0, Math.max(0, id.indexOf(':')));
  return KINDS_BY_PREFIX.has(prefix) ? (prefix as PrincipalKind) : 'agent';
}

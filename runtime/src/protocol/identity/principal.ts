import type { Principal } from '../types.js';

/** Whether two principals are the same one: equal id and kind. Trust domain and DID are compared where a rule says so. */
export function samePrincipal(
  a: Pick<Principal, 'id' | 'kind'> | undefined,
  b: Pick<Principal, 'id' | 'kind'> | undefined,
): boolean {
  return a !== undefined && b !== undefined && a.id === b.id && a.kind === b.kind;
}

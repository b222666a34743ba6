import { parseTime } from '../../protocol/time.js';
import type { DelegatedAuthorityGrant } from '../../protocol/types.js';

/** A configured list of texts as a set; absent is empty. `wrong` makes the error for anything else. */
export function textSet(value: unknown, wrong: () => Error): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string' || item.trim() === '')) throw wrong();
  return new Set(value as string[]);
}

/**
 * The configured rights over records of other principals: an array of {principal_id, scopes, expires_at? (RFC 3339), reason?}; absent is
 * none. `wrong` makes the error for anything else.
 */
export function grantList(value: unknown, wrong: (what: string) => Error): readonly DelegatedAuthorityGrant[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong('delegated_authority must be a list');
  return value.map((grant) => {
    if (typeof grant !== 'object' || grant === null || Array.isArray(grant))
      throw wrong('each entry of delegated_authority must be an object');
    const { principal_id, scopes, expires_at, reason, ...rest } = grant as Record<string, unknown>;
    const unknown = Object.keys(rest)[0];
    if (unknown !== undefined) throw wrong(`the member ${unknown} of delegated_authority is not known`);
    if (typeof principal_id !== 'string' || principal_id.trim() === '')
      throw wrong('principal_id of delegated_authority must be text');
    const held = textSet(scopes, () => wrong('scopes of delegated_authority must be a list of texts'));
    if (held.size === 0) throw wrong('scopes of delegated_authority must name at least one scope');
    if (expires_at !== undefined && !isTime(expires_at))
      throw wrong('expires_at of delegated_authority must be an RFC 3339 time');
    if (reason !== undefined && typeof reason !== 'string') throw wrong('reason of delegated_authority must be text');
    return { principal_id, scopes: [...held], ...(expires_at !== undefined && { expires_at }) };
  });
}

function isTime(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    return Number.isFinite(parseTime(value));
  } catch {
    return false;
  }
}

import type { PrincipalEntry } from '@aip/controller/internal/fleet';
import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { UsageError } from '../client/errors.js';
import { changePlace, type PlaceFlags } from './principals-place.js';

/** A token as it may be shown: never itself, only the beginning of its digest. */
export interface ShownToken {
  /** Names it for `revoke`. */
  id: string;
  principal_id: string;
  tenant_id: string | null;
  scopes: string[];
  roles: string[];
  expires_at: string | null;
  expired: boolean;
}

/** Hex digits of the digest that name a token. */
const ID_LENGTH = 12;

/** Every token that a gateway takes, without the tokens. Throws what changePlace throws. */
export async function listTokens(flags: PlaceFlags, env: NodeJS.ProcessEnv, now = Date.now()): Promise<ShownToken[]> {
  let found: PrincipalEntry[] = [];
  await changePlace(flags, env, (entries) => {
    found = entries;
    return entries;
  });
  return found.map((entry) => shownToken(entry, now));
}

/** Removes the token with this id, or all of a principal. Gives what was removed. Throws UsageError. */
export async function revokeTokens(
  named: string,
  flags: PlaceFlags,
  env: NodeJS.ProcessEnv,
  now = Date.now(),
): Promise<ShownToken[]> {
  let gone: PrincipalEntry[] = [];
  await changePlace(flags, env, (entries) => {
    gone = entries.filter((entry) => entry.principal_id === named || isNamed(entry, named));
    const ids = new Set(gone.map(({ token_digest }) => token_digest));
    if (ids.size > 1 && gone.some((entry) => entry.principal_id !== named))
      throw new UsageError(`${named} is the beginning of several tokens.`, 'Give more of the id.');
    if (ids.size === 0) {
      const near = didYouMean(
        similar(
          named,
          entries.flatMap((entry) => [idOf(entry), entry.principal_id]),
        ),
      );
      throw new UsageError(`There is no token ${named}.`, near ?? '`aip tokens list` shows those there are.');
    }
    return entries.filter(({ token_digest }) => !ids.has(token_digest));
  });
  return gone.map((entry) => shownToken(entry, now));
}

function idOf({ token_digest }: PrincipalEntry): string {
  return token_digest.replace(/^sha256:/, '').slice(0, ID_LENGTH);
}

function isNamed({ token_digest }: PrincipalEntry, named: string): boolean {
  return named.length >= 6 && token_digest.replace(/^sha256:/, '').startsWith(named);
}

function shownToken(entry: PrincipalEntry, now: number): ShownToken {
  const { principal_id, tenant_id, scopes, roles, expires_at } = entry;
  return {
    id: idOf(entry),
    principal_id,
    tenant_id: tenant_id ?? null,
    scopes,
    roles: roles ?? [],
    expires_at: expires_at ?? null,
    expired: expires_at !== undefined && Date.parse(expires_at) <= now,
  };
}

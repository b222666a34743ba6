import { AipError } from '../../../protocol/errors.js';
import type { env } from '../../../transport/settings/env.js';
import { openCallerShares, principalKey, type ShareLimits } from '../../claims/caller-shares.js';
import type { Identity } from '../../edge/identity.js';
import { openTurns } from './turns.js';

/** How many streams may be followed at once. */
export type FollowerLimits = ShareLimits;

/** The limits that a gateway has unless it is given others. */
export const DEFAULT_FOLLOWER_LIMITS: FollowerLimits = { total: 16_384, perTenant: 4096, perPrincipal: 1024 };

/** Reads MAX_FOLLOWERS, MAX_FOLLOWERS_PER_TENANT and MAX_FOLLOWERS_PER_PRINCIPAL. Throws StartupRefused. */
export function readFollowerLimits(vars: ReturnType<typeof env>): FollowerLimits {
  const { total, perTenant, perPrincipal } = DEFAULT_FOLLOWER_LIMITS;
  return {
    total: vars.int('MAX_FOLLOWERS', total, { min: 1 }),
    perTenant: vars.int('MAX_FOLLOWERS_PER_TENANT', perTenant, { min: 1 }),
    perPrincipal: vars.int('MAX_FOLLOWERS_PER_PRINCIPAL', perPrincipal, { min: 1 }),
  };
}

/** The place of one stream. */
export interface FollowerPlace {
  /** Reads a page when it is the caller's turn: few pages are read at a time, and the callers alternate. */
  turn<T>(read: () => Promise<T>): Promise<T>;
  /** Gives the place back. */
  leave(): void;
}

/** The streams that are followed in this process. */
export interface Followers {
  /** Takes a place for a stream of the caller. Throws `stream.followers_exceeded`. */
  admit(identity: Identity): FollowerPlace;
}

/** Pages that followers read at the same time: fewer than the connections of a pool, so that other work finds one. */
const PAGES_AT_ONCE = 4;

/** Counts followers against the limits of the process, of a tenant and of a principal. */
export function openFollowers(limits: FollowerLimits): Followers {
  const turns = openTurns(PAGES_AT_ONCE);
  const places = openCallerShares(
    limits,
    ({ scope, limit }) =>
      new AipError('stream.followers_exceeded', `the ${scope} follows ${limit} streams already; close one`, {
        details: { scope, limit },
      }),
  );
  return {
    admit: (caller) => {
      const leave = places.enter(caller);
      const key = principalKey(caller);
      return { turn: (read) => turns.take(key, read), leave };
    },
  };
}

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../protocol/clock.js';
import { Unauthorized } from '../../protocol/errors.js';
import { formatTime } from '../../protocol/time.js';
import type { Identity } from './identity.js';
import type { PrincipalsFile } from './principals-file.js';

/** The longest token that is checked, in bytes (docs/protocol/client-api.md#authentication). */
const MAX_TOKEN_BYTES = 16_384;
/** The scheme in any case (RFC 9110, 11.1). */
const BEARER = /^bearer (.*)$/i;

/** The contract's one static credential and whom it names. */
export interface StaticCredential {
  readonly token: string;
  readonly identity: Identity;
}

/** Turns an Authorization header into an identity. */
export interface BearerEdge {
  /**
   * The identity of a presented bearer token; undefined when none is presented (no header, or another scheme).
   * Throws Unauthorized for a token that is wrong, expired, or presented where none is configured.
   */
  identify(authorization: string | undefined): Promise<Identity | undefined>;
}

/** Bearer authentication by the static credential and by the principals file; tokens are compared in constant time. */
export function bearerEdge(options: {
  credential?: StaticCredential | undefined;
  principals?: Pick<PrincipalsFile, 'table'> | undefined;
  clock: Clock;
}): BearerEdge {
  const expected = options.credential && digest(options.credential.token);
  return {
    identify: async (authorization) => {
      const token = tokenOf(authorization);
      if (token === undefined) return undefined;
      if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) throw refused();
      const presented = digest(token);
      if (expected && timingSafeEqual(expected, presented)) return options.credential?.identity;
      const found = (await options.principals?.table())?.get(presented.toString('hex'));
      if (!found) throw refused();
      // Who holds the token may know that it was one.
      if (found.expiresAt !== undefined && found.expiresAt <= options.clock())
        throw new Unauthorized(`the bearer credential expired at ${formatTime(found.expiresAt)}`);
      return found.identity;
    },
  };
}

/** The error for a missing or invalid credential (docs/protocol/client-api.md#authentication). */
export function refused(): Unauthorized {
  return new Unauthorized();
}

function tokenOf(authorization: string | undefined): string | undefined {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]?.trim();
  return token === '' ? undefined : token;
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

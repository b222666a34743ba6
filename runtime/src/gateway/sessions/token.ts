import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '../../protocol/digest.js';

/** How long a resume token lives from its issue. */
export const TOKEN_LIFE_MS = 86_400_000;
const TOKEN_BYTES = 32;

/** A new resume token: 32 random bytes as 43 characters of base64url. */
export function newResumeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is stored of a token: the hex SHA-256 of its text. */
export function tokenHash(token: string): string {
  return sha256Hex(token);
}

/** Whether a presented token is the one with the stored hash, compared in constant time. */
export function isToken(presented: string, storedHash: string): boolean {
  return timingSafeEqual(Buffer.from(tokenHash(presented)), Buffer.from(storedHash));
}

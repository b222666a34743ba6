import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sha256Hex } from '@aip/runtime/internal/signing';
import { waitForLock } from './file-lock.js';
import { writePrivate } from './files.js';

export { OPERATOR_SCOPES } from '@aip/runtime/internal/scopes';

/** One principal of a gateway's principals file; the token itself is never in it. */
export interface PrincipalEntry {
  /** `sha256:` and the hex digest of the token's text. */
  token_digest: string;
  principal_id: string;
  tenant_id?: string;
  scopes: string[];
  roles: string[];
  /** RFC 3339. */
  expires_at?: string;
}

/** A new bearer token: `aip_` and 43 characters of 256 random bits. */
export function newToken(): string {
  return `aip_${randomBytes(32).toString('base64url')}`;
}

/** Digest under which a token is in the principals file. */
export function tokenDigest(token: string): string {
  return `sha256:${sha256Hex(token)}`;
}

/** The entries of a principals file; empty when it is not there. Throws when it does not hold a JSON array. */
export async function readPrincipals(file: string): Promise<PrincipalEntry[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) throw new Error(`${file} does not hold a JSON array of principals`);
  return entries as PrincipalEntry[];
}

/** Changes a principals file: read, change and atomic write under a lock file, so that two writers lose nothing. Mode 0600. Throws LockHeld. */
export async function changePrincipals(
  file: string,
  change: (entries: PrincipalEntry[]) => PrincipalEntry[],
): Promise<PrincipalEntry[]> {
  const release = await waitForLock(`${file}.lock`);
  try {
    const before = await readPrincipals(file);
    const after = change(before);
    await writePrivate(file, `${JSON.stringify(after, null, 2)}\n`);
    return after;
  } finally {
    await release();
  }
}

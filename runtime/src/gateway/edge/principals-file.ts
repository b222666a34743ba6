import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../../protocol/clock.js';
import { parseTime } from '../../protocol/time.js';
import { grantList, textSet } from './configured-lists.js';
import type { Identity } from './identity.js';
import { principalOfId } from './principal-kind.js';

/** How long one check of the file serves, in milliseconds. */
const LOOK_EVERY_MS = 1000;
/** The largest principals file that is read, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The write bits of group and world. */
const OTHERS_MAY_WRITE = 0o022n;

/**
 * One credential of the principals file: who holds the token, and until when (ms since the epoch; absent: forever).
 */
export interface FileCredential {
  readonly identity: Identity;
  readonly expiresAt?: number;
}

/** Credentials by the SHA-256 of their token, in hex. */
export type CredentialTable = ReadonlyMap<string, FileCredential>;

/** The principals file, read again after a change. */
export interface PrincipalsFile {
  /** The table as of at most a second ago. */
  table(): Promise<CredentialTable>;
  /** The roles of a principal in a tenant (null: outside every tenant) by all of its live entries. */
  rolesOf(principalId: string, tenantId: string | null): Promise<string[]>;
}

/**
 * Opens the principals file at `path`: throws when it cannot be read or is not valid at the start. Later a file that
 * turns invalid leaves the last valid table in force (`onInvalid` is called), and a file that is gone leaves none.
 */
export async function openPrincipalsFile(options: {
  path: string;
  clock: Clock;
  onInvalid: (error: Error) => void;
}): Promise<PrincipalsFile> {
  let fingerprint = await fingerprintOf(options.path);
  let table = await readTable(options.path);
  let lookedAt = options.clock();
  let look: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    try {
      const found = await fingerprintOf(options.path);
      if (found === fingerprint) return;
      fingerprint = found;
      table = await readTable(options.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        fingerprint = '';
        table = new Map();
      }
      options.onInvalid(error as Error);
    }
  };

  const current = async (): Promise<CredentialTable> => {
    if (options.clock() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = options.clock();
      look = refresh().finally(() => {
        look = undefined;
      });
    }
    if (look) await look;
    return table;
  };
  return {
    table: current,
    rolesOf: async (principalId, tenantId) => {
      const live = [...(await current()).values()].filter(
        ({ identity, expiresAt }) =>
          identity.principal.id === principalId &&
          (identity.tenantId ?? null) === tenantId &&
          (expiresAt === undefined || expiresAt > options.clock()),
      );
      return [...new Set(live.flatMap(({ identity }) => identity.roles))];
    },
  };
}

async function fingerprintOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true });
  if ((found.mode & OTHERS_MAY_WRITE) !== 0n) throw new Error('The principals file must not be writable by others.');
  return `${found.ino}:${found.size}:${found.mtimeNs}`;
}

async function readTable(path: string): Promise<CredentialTable> {
  const text = await readFile(path, 'utf8');
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Error('The principals file is too large.');
  return parsePrincipals(JSON.parse(text));
}

/**
 * Reads the value of a principals file: an array of {token_digest: "sha256:<hex>", principal_id, tenant_id?, scopes?,
 * roles?, delegated_authority?, expires_at? (RFC 3339)}. Throws an Error that names the entry which is wrong.
 */
export function parsePrincipals(value: unknown): CredentialTable {
  if (!Array.isArray(value)) throw new Error('The principals file must hold an array.');
  const table = new Map<string, FileCredential>();
  for (const [index, entry] of value.entries()) {
    const fail = (what: string): Error => new Error(`Entry ${index} of the principals file: ${what}.`);
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw fail('must be an object');
    const { token_digest, principal_id, tenant_id, scopes, roles, delegated_authority, expires_at, ...rest } =
      entry as Record<string, unknown>;
    const unknown = Object.keys(rest)[0];
    if (unknown !== undefined) throw fail(`the member ${unknown} is not known`);
    const digest = typeof token_digest === 'string' ? /^sha256:([0-9a-f]{64})$/.exec(token_digest)?.[1] : undefined;
    if (digest === undefined) throw fail('token_digest must be sha256: and 64 hex digits');
    if (table.has(digest)) throw fail('token_digest is given twice');
    if (typeof principal_id !== 'string' || principal_id === '') throw fail('principal_id must be text');
    if (tenant_id !== undefined && !isTenantId(tenant_id)) throw fail('tenant_id must be 1 to 512 bytes of text');
    if (expires_at !== undefined && typeof expires_at !== 'string') throw fail('expires_at must be an RFC 3339 time');
    table.set(digest, {
      identity: {
        principal: principalOfId(principal_id),
        scopes: textSet(scopes, () => fail('scopes must be a list of texts')),
        ...(tenant_id === undefined ? {} : { tenantId: tenant_id as string }),
        roles: [...textSet(roles, () => fail('roles must be a list of texts'))],
        grants: grantList(delegated_authority, fail),
        scheme: 'bearer',
      },
      ...(expires_at === undefined ? {} : { expiresAt: parseTime(expires_at as string) }),
    });
  }
  return table;
}

/** Whether a configured tenant id has its form: 1 to 512 bytes of text (docs/protocol/client-api.md#authentication). */
export function isTenantId(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && Buffer.byteLength(value) <= 512;
}

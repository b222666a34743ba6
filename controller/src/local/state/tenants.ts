import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@aip/runtime/protocol/digest.js';
import { writePrivate } from '../../fleet/files.js';
import {
  changePrincipals,
  newToken,
  OPERATOR_SCOPES,
  type PrincipalEntry,
  tokenDigest,
} from '../../fleet/principals.js';
import type { DataPaths } from './data-dir.js';

/** Token file of a tenant's operator; a tenant whose name is not a plain file name gets a name from its digest. */
export function tenantTokenFile(paths: DataPaths, tenant: string): string {
  const plain = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}$/.test(tenant) ? tenant : sha256Hex(tenant).slice(0, 32);
  return join(paths.tokens, plain);
}

/**
 * Gives each tenant an operator with a token of its own; existing tokens stay. `token` becomes that of the first tenant. The principals
 * file keeps entries that others added.
 */
export async function ensureOperators(
  paths: DataPaths,
  principalsFile: string,
  tenants: readonly string[],
): Promise<void> {
  const entries = new Map<string, PrincipalEntry>();
  let first: string | undefined;
  for (const tenant of new Set(tenants)) {
    const file = tenantTokenFile(paths, tenant);
    let token = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (token === '') {
      token = newToken();
      await writePrivate(file, `${token}\n`);
    }
    first ??= token;
    entries.set(tenant, {
      token_digest: tokenDigest(token),
      principal_id: `human:operator:${tenant}`,
      tenant_id: tenant,
      scopes: [...OPERATOR_SCOPES],
      roles: ['operator'],
    });
  }
  const own = new Set([...entries.values()].map((entry) => entry.token_digest));
  await changePrincipals(principalsFile, (before) => [
    ...before.filter((entry) => !own.has(entry.token_digest)),
    ...entries.values(),
  ]);
  if (first === undefined) await rm(paths.token, { force: true });
  else await writePrivate(paths.token, `${first}\n`);
}

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@aip/runtime/internal/signing';
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

/** Token file of a tenant's approver: a requester may not approve its own actions, so there is a second person. */
export function tenantApproverFile(paths: DataPaths, tenant: string): string {
  return `${tenantTokenFile(paths, tenant)}.approver`;
}

/** What an approver may do: read what waits, see its input, and decide. */
const APPROVER_SCOPES = [
  'action:read',
  'approval:read',
  'approval:write',
  'approval:export',
  'approval:sensitive',
  'principal:read:any',
];

/**
 * Gives each tenant an operator and an approver with tokens of their own; existing tokens stay. `token` becomes that of the first tenant. The principals
 * file keeps entries that others added.
 */
export async function ensureOperators(
  paths: DataPaths,
  principalsFile: string,
  tenants: readonly string[],
): Promise<void> {
  const entries: PrincipalEntry[] = [];
  let first: string | undefined;
  for (const tenant of new Set(tenants)) {
    const token = await tokenIn(tenantTokenFile(paths, tenant));
    const approver = await tokenIn(tenantApproverFile(paths, tenant));
    first ??= token;
    entries.push({
      token_digest: tokenDigest(token),
      principal_id: `human:operator:${tenant}`,
      tenant_id: tenant,
      scopes: [...OPERATOR_SCOPES],
      roles: ['operator'],
    });
    entries.push({
      token_digest: tokenDigest(approver),
      principal_id: `human:approver:${tenant}`,
      tenant_id: tenant,
      scopes: APPROVER_SCOPES,
      roles: ['approver'],
    });
  }
  const own = new Set(entries.map((entry) => entry.token_digest));
  await changePrincipals(principalsFile, (before) => [
    ...before.filter((entry) => !own.has(entry.token_digest)),
    ...entries,
  ]);
  if (first === undefined) await rm(paths.token, { force: true });
  else await writePrivate(paths.token, `${first}\n`);
}

/** The token in a file; made when there is none. */
async function tokenIn(file: string): Promise<string> {
  const found = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (found !== '') return found;
  const token = newToken();
  await writePrivate(file, `${token}\n`);
  return token;
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dataPaths, defaultDataDir } from '@aip/controller/local/data-dir.js';
import {
  changePrincipals,
  newToken,
  OPERATOR_SCOPES,
  type PrincipalEntry,
  tokenDigest,
} from '@aip/controller/local/principals.js';
import { formatTime } from '@aip/runtime/protocol/time.js';
import { UsageError } from './client/errors.js';

/** What the user asked for; lists are separated by commas or white space. */
export interface TokenRequest {
  tenant: string;
  scopes: string;
  principal?: string | undefined;
  roles?: string | undefined;
  expiresIn?: string | undefined;
  file?: string | undefined;
  data?: string | undefined;
}

/** A new token with what it stands for. */
export interface CreatedToken {
  token: string;
  principal_id: string;
  tenant_id: string;
  scopes: string[];
  roles: string[];
  expires_at?: string;
  principals_file: string;
}

/** Adds a principal with a new token to the principals file; only the token's digest is written. Throws UsageError. */
export async function createToken(
  request: TokenRequest,
  env: NodeJS.ProcessEnv,
  now: () => number = Date.now,
): Promise<CreatedToken> {
  const tenant = request.tenant.trim();
  if (tenant === '' || Buffer.byteLength(tenant) > 512) throw new UsageError('The tenant has 1 to 512 bytes.');
  const scopes = words(request.scopes).flatMap((scope) => (scope === 'operator' ? OPERATOR_SCOPES : [scope]));
  if (scopes.length === 0)
    throw new UsageError('At least one scope is needed.', 'For example --scopes action:read,action:write.');
  const file = request.file ?? devPrincipals(request.data, env);
  const token = newToken();
  const entry: PrincipalEntry = {
    token_digest: tokenDigest(token),
    principal_id: request.principal ?? `human:${tenant}:${randomBytes(4).toString('hex')}`,
    tenant_id: tenant,
    scopes: [...new Set(scopes)],
    roles: words(request.roles ?? ''),
    ...(request.expiresIn === undefined ? {} : { expires_at: formatTime(now() + milliseconds(request.expiresIn)) }),
  };
  await changePrincipals(file, (entries) => [...entries, entry]);
  const { token_digest: _, ...rest } = entry;
  return { token, ...rest, tenant_id: tenant, principals_file: file };
}

function devPrincipals(data: string | undefined, env: NodeJS.ProcessEnv): string {
  const paths = dataPaths(data ?? env.AIP_DEV_DATA ?? defaultDataDir(env));
  if (!existsSync(paths.principals))
    throw new UsageError(
      `No \`aip dev\` has used ${paths.root} yet.`,
      'Name the principals file of your gateway with --file.',
    );
  return paths.principals;
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** `90s`, `30m`, `12h`, `7d` in ms. */
function milliseconds(text: string): number {
  const found = /^(\d{1,9})(s|m|h|d)$/.exec(text.trim());
  const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const unit = units[found?.[2] ?? ''];
  if (!found || unit === undefined || Number(found[1]) === 0)
    throw new UsageError(`${JSON.stringify(text)} is not a life time.`, 'Write it like 90s, 30m, 12h or 7d.');
  return Number(found[1]) * unit;
}

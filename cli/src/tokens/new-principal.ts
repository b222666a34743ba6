import { randomBytes } from 'node:crypto';
import { newToken, OPERATOR_SCOPES, type PrincipalEntry, tokenDigest } from '@aip/controller/internal/fleet';
import { formatTime } from '@aip/runtime/internal/protocol';
import { UsageError } from '../client/errors.js';
import { parseDuration } from '../duration.js';

/** What the user asked for; lists are separated by commas or white space. */
export interface PrincipalRequest {
  tenant: string;
  scopes: string;
  principal?: string | undefined;
  roles?: string | undefined;
  expiresIn?: string | undefined;
}

/** A new token and the entry that stands for it in a principals file, which holds only its digest. Throws UsageError. */
export function newPrincipal(request: PrincipalRequest, now: number): { token: string; entry: PrincipalEntry } {
  const tenant = request.tenant.trim();
  if (tenant === '' || Buffer.byteLength(tenant) > 512) throw new UsageError('The tenant has 1 to 512 bytes.');
  const scopes = words(request.scopes).flatMap((scope) => (scope === 'operator' ? OPERATOR_SCOPES : [scope]));
  if (scopes.length === 0)
    throw new UsageError('At least one scope is needed.', 'For example --scopes action:read,action:write.');
  const token = newToken();
  return {
    token,
    entry: {
      token_digest: tokenDigest(token),
      principal_id: request.principal ?? `human:${tenant}:${randomBytes(4).toString('hex')}`,
      tenant_id: tenant,
      scopes: [...new Set(scopes)],
      roles: words(request.roles ?? ''),
      ...(request.expiresIn === undefined ? {} : { expires_at: formatTime(now + parseDuration(request.expiresIn)) }),
    },
  };
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

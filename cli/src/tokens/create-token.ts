import { newPrincipal, type PrincipalRequest } from './new-principal.js';
import { changePlace } from './principals-place.js';

/** What the user asked for, and whose principals are to be changed. */
export interface TokenRequest extends PrincipalRequest {
  file?: string | undefined;
  context?: string | undefined;
  data?: string | undefined;
}

/** A new token with what it stands for, and where its digest was written: a file, or `namespace/name` of a Secret. */
export interface CreatedToken {
  token: string;
  principal_id: string;
  tenant_id: string;
  scopes: string[];
  roles: string[];
  expires_at?: string;
  principals_file?: string;
  principals_secret?: string;
}

/** Adds a principal with a new token to a gateway's principals; only the token's digest is written. Throws UsageError, KubeError. */
export async function createToken(
  request: TokenRequest,
  env: NodeJS.ProcessEnv,
  now: () => number = Date.now,
): Promise<CreatedToken> {
  const { token, entry } = newPrincipal(request, now());
  const place = await changePlace(request, env, (entries) => [...entries, entry]);
  const { token_digest: _, tenant_id: tenant = request.tenant, ...rest } = entry;
  return { token, ...rest, tenant_id: tenant, ...place };
}

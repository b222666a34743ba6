import { existsSync } from 'node:fs';
import { changePrincipals, type PrincipalEntry } from '@aip/controller/fleet/principals.js';
import { dataPaths, defaultDataDir } from '@aip/controller/local/state/data-dir.js';
import { UsageError } from '../client/errors.js';
import { chooseTarget } from '../contexts/choose-target.js';
import { readContexts } from '../contexts/contexts-file.js';
import { openClusterContext } from '../fleet/fleet-source.js';
import { newPrincipal, type PrincipalRequest } from './new-principal.js';

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
  const place = await addEntry(request, env, entry);
  const { token_digest: _, tenant_id: tenant = request.tenant, ...rest } = entry;
  return { token, ...rest, tenant_id: tenant, ...place };
}

async function addEntry(
  request: TokenRequest,
  env: NodeJS.ProcessEnv,
  entry: PrincipalEntry,
): Promise<{ principals_file: string } | { principals_secret: string }> {
  if (request.file !== undefined) return addToFile(request.file, entry);
  const { AIP_GATEWAY_URL: _, ...rest } = env;
  const target = await chooseTarget({ context: request.context, data: request.data }, rest, () => readContexts(env));
  if (target.kind !== 'context')
    return addToFile(devPrincipals((target.kind === 'dev' ? target.data : undefined) ?? defaultDataDir(env)), entry);
  const { addToSecret } = await import('./principals-secret.js');
  const { cluster } = await openClusterContext(target.context);
  return { principals_secret: await addToSecret(cluster, entry).finally(() => cluster.kube.close()) };
}

async function addToFile(file: string, entry: PrincipalEntry): Promise<{ principals_file: string }> {
  await changePrincipals(file, (entries) => [...entries, entry]);
  return { principals_file: file };
}

function devPrincipals(dataDir: string): string {
  const paths = dataPaths(dataDir);
  if (!existsSync(paths.principals))
    throw new UsageError(
      `No \`aip dev\` has used ${paths.root} yet.`,
      'Name a cluster with --context, or the principals file of your gateway with --file.',
    );
  return paths.principals;
}

import { existsSync } from 'node:fs';
import { dataPaths, defaultDataDir } from '@aip/controller/internal/data-folder';
import { changePrincipals, type PrincipalEntry } from '@aip/controller/internal/fleet';
import { UsageError } from '../client/errors.js';
import { chooseTarget } from '../contexts/choose-target.js';
import { readContexts } from '../contexts/contexts-file.js';
import { openClusterContext } from '../fleet/fleet-source.js';

/** Whose principals: a file, the Secret of a context's cluster, or those of an `aip dev`. */
export interface PlaceFlags {
  file?: string | undefined;
  context?: string | undefined;
  data?: string | undefined;
}

/** Changes the principals of a gateway; `change` may be called again when others change them at the same time. Gives where they are. Throws UsageError, KubeError. */
export async function changePlace(
  flags: PlaceFlags,
  env: NodeJS.ProcessEnv,
  change: (entries: PrincipalEntry[]) => PrincipalEntry[],
): Promise<{ principals_file: string } | { principals_secret: string }> {
  if (flags.file !== undefined) return changeFile(flags.file, change);
  const { AIP_GATEWAY_URL: _, ...rest } = env;
  const target = await chooseTarget({ context: flags.context, data: flags.data }, rest, () => readContexts(env));
  if (target.kind !== 'context')
    return changeFile(devPrincipals((target.kind === 'dev' ? target.data : undefined) ?? defaultDataDir(env)), change);
  const { changeSecret } = await import('./principals-secret.js');
  const { cluster } = await openClusterContext(target.context);
  return { principals_secret: await changeSecret(cluster, change).finally(() => cluster.kube.close()) };
}

async function changeFile(
  file: string,
  change: (entries: PrincipalEntry[]) => PrincipalEntry[],
): Promise<{ principals_file: string }> {
  await changePrincipals(file, change);
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

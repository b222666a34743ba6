import { defaultDataDir } from '@aip/controller/internal/dev-paths';
import { UsageError } from '../client/errors.js';
import { chooseTarget } from '../contexts/choose-target.js';
import { readDev } from '../contexts/connection.js';
import type { AipContext } from '../contexts/context.js';
import { readContexts } from '../contexts/contexts-file.js';
import type { Cluster } from '../kube/cluster.js';
import { progress } from '../progress/progress.js';

/** Where a fleet's state is read: the registry's database, or the resources of a cluster. */
export type FleetSource =
  | {
      readonly kind: 'registry';
      readonly url: string /** Its data folder, for an `aip dev`. */;
      readonly dataDir?: string;
    }
  | { readonly kind: 'cluster'; readonly cluster: Cluster; readonly context: AipContext };

/** What the command line says about which fleet is meant. */
export interface FleetFlags {
  context?: string | undefined;
  data?: string | undefined;
  'kube-context'?: string | undefined;
}

/**
 * --kube-context, --context and --data, then AIP_REGISTRY_URL, then as for every command (choose-target). Throws UsageError for a context that names no
 * cluster and where there is no fleet at all.
 */
export async function openFleetSource(flags: FleetFlags, env: NodeJS.ProcessEnv): Promise<FleetSource> {
  progress.about('Reading the registry');
  const kubeContext = flags['kube-context'];
  if (kubeContext !== undefined) return openKubeContext(kubeContext, flags, env);
  if (flags.context === undefined && flags.data === undefined && env.AIP_REGISTRY_URL)
    return { kind: 'registry', url: env.AIP_REGISTRY_URL };
  const target = await fleetTarget(flags, env);
  if (target.kind === 'context') return { kind: 'cluster', ...(await openClusterContext(target.context)) };
  const dataDir = target.data ?? defaultDataDir(env);
  const url = (await readDev(dataDir))?.database_url;
  if (url === undefined)
    throw new UsageError(
      'No `aip dev` has left its address.',
      'Start one with `aip dev`, choose a cluster with `aip context use`, or name the database with AIP_REGISTRY_URL.',
    );
  return { kind: 'registry', url, dataDir };
}

/** A cluster of the kubeconfig: that of the context `--context` names, else the usual one. */
async function openKubeContext(kubeContext: string, flags: FleetFlags, env: NodeJS.ProcessEnv): Promise<FleetSource> {
  const target = flags.context === undefined ? undefined : await fleetTarget(flags, env);
  const named = target?.kind === 'context' ? target.context : undefined;
  const kube = { ...(named?.kube ?? { namespace: '', release: '' }), context: kubeContext };
  const { openCluster } = await import('../kube/cluster.js');
  progress.about(`Waiting for the cluster of the kubeconfig context ${kubeContext}`);
  return { kind: 'cluster', cluster: await openCluster(kube), context: { name: named?.name ?? kubeContext, kube } };
}

/** The cluster that flags, environment or the context in use name. Throws UsageError when that is none. */
export async function openNamedCluster(
  flags: { context?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<{ cluster: Cluster; context: AipContext }> {
  const target = await fleetTarget(flags, env);
  if (target.kind === 'context') return openClusterContext(target.context);
  throw new UsageError(
    'This works on a cluster, and no context names one.',
    'Make one with `aip context add NAME --from-cluster`, and choose it with --context.',
  );
}

/** The cluster of a context. Throws UsageError when it names none. */
export async function openClusterContext(context: AipContext): Promise<{ cluster: Cluster; context: AipContext }> {
  if (!context.kube)
    throw new UsageError(
      `The context ${context.name} knows a gateway but no cluster.`,
      `Replace it with \`aip context add ${context.name} --from-cluster --replace\`.`,
    );
  const { openCluster } = await import('../kube/cluster.js');
  progress.about(`Waiting for the cluster of the context ${context.name}`);
  return { cluster: await openCluster(context.kube), context };
}

/** An address of a gateway says nothing about where the fleet is. */
async function fleetTarget(
  flags: FleetFlags,
  { AIP_GATEWAY_URL: _, ...env }: NodeJS.ProcessEnv,
): Promise<Exclude<Awaited<ReturnType<typeof chooseTarget>>, { kind: 'url' }>> {
  const target = await chooseTarget({ context: flags.context, data: flags.data }, env, () => readContexts(env));
  if (target.kind === 'url') throw new RangeError('without an address no target is one');
  return target;
}

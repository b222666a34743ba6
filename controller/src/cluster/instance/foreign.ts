import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS } from '../../api/group.js';
import { KINDS } from '../../api/kinds.js';
import { mergeConditions, type Observed } from '../../kube/record/conditions.js';
import { isReleaseGone } from '../../trust/release-gone.js';
import type { ClusterContext } from '../context.js';
import { FINALIZER } from '../objects/names.js';
import { isForeign } from '../observed/view.js';
import { remove } from '../steps/remove.js';
import type { Target } from '../steps/target.js';
import { isFleets } from './orphans.js';
import type { ReconcileContext } from './reconcile-context.js';

/** The condition by which a release says that it leaves an instance to another one. */
const TYPE = 'OwnedElsewhere';
const REASON = 'OwnedByAnotherRelease';

/** Who writes the condition: another than the one that writes all others, so that two releases never change each other's. */
const managerOf = (releaseId: string): string => `aip-controller ${releaseId}`.slice(0, 128);

/** How often it is checked whether another release is still there, in ms. */
const CHECK_MS = 30_000;

/**
 * Leaves an instance to the release that runs it, and says so on the instance, once; nothing else of it is read or changed. When that release is
 * gone the instance is taken over. Returns after how many ms it is checked again.
 */
export async function leaveOrTakeOver(
  instance: ConnectorInstance,
  context: Pick<ReconcileContext, 'cluster' | 'events' | 'clock'>,
): Promise<number | undefined> {
  const owner = instance.metadata.annotations?.[ANNOTATIONS.release] ?? '';
  const { cluster, events } = context;
  if (!(await isReleaseGone(owner, cluster.kube))) {
    await writeForeign(instance, context);
    return CHECK_MS;
  }
  const { metadata } = instance;
  const { resourceVersion } = metadata;
  // Another release may do the same: only one of them finds this version.
  const patch = { metadata: { resourceVersion, annotations: { [ANNOTATIONS.release]: cluster.releaseId } } };
  await cluster.kube.merge(KINDS.connectorInstance, metadata, patch);
  const note = `the release ${owner} is gone, and ${cluster.releaseId} runs this instance now`;
  events.record(instance, { type: 'Normal', reason: 'TakenOver', note, action: 'Reconcile' });
  return undefined;
}

async function writeForeign(
  instance: ConnectorInstance,
  { cluster, events, clock }: Pick<ReconcileContext, 'cluster' | 'events' | 'clock'>,
): Promise<void> {
  const owner = instance.metadata.annotations?.[ANNOTATIONS.release];
  const { releaseId } = cluster;
  const message = `the release ${owner} runs this instance, and ${releaseId} leaves it alone: set controller.watchNamespaces of both, or remove the annotation ${ANNOTATIONS.release} to hand it over`;
  const before = instance.status?.conditions;
  if (before?.some(({ type }) => type === TYPE)) return;
  const observed: Observed[] = [{ type: TYPE, status: 'True', reason: REASON, message }];
  await apply(
    instance,
    mergeConditions(before, observed, { generation: instance.metadata.generation, now: clock() }),
    cluster,
  );
  events.record(instance, { type: 'Warning', reason: REASON, note: message, action: 'Reconcile' });
}

/**
 * Takes the condition back from an instance that this release runs: its own, and that of a release that is gone. Returns after how many ms
 * another release is checked again.
 */
export async function withdrawForeign(
  instance: ConnectorInstance,
  { cluster }: Pick<ReconcileContext, 'cluster'>,
): Promise<number | undefined> {
  const said = instance.status?.conditions?.find(({ type }) => type === TYPE);
  const [, other] = / and (\S+) leaves it alone/.exec(said?.message ?? '') ?? [];
  if (other === undefined) return undefined;
  if (other !== cluster.releaseId && !(await isReleaseGone(other, cluster.kube))) return CHECK_MS;
  await apply(instance, [], { ...cluster, releaseId: other });
  return undefined;
}

/**
 * Removes the replicas that another release made of a Managed instance which it ran before: their hosts follow that one's control plane and trust, and
 * their version may not be known here. Says whether it removed any; others take their place. A user's own replica becomes this release's. Throws
 * KubeError and StorageUnavailable.
 */
export async function replaceForeignReplicas(target: Target, cluster: ClusterContext): Promise<boolean> {
  const { kube, releaseId } = cluster;
  let replaced = false;
  for (const replica of [...target.replicas.values()].filter((each) => isForeign(each, releaseId))) {
    const { metadata } = replica;
    if (target.instance.spec.hosting === 'External') {
      const patch = { metadata: { annotations: { [ANNOTATIONS.release]: releaseId } } };
      target.wrote(await kube.merge<ConnectorReplica>(KINDS.connectorReplica, metadata, patch));
    } else if (isFleets(replica) && !isLeftToOthers(replica)) {
      const pod = target.pods.get(metadata.name);
      if (pod && !pod.metadata.deletionTimestamp) await kube.delete(KINDS.pod, pod.metadata, { uid: pod.metadata.uid });
      await remove(metadata.name, target, cluster);
      replaced = true;
    }
  }
  return replaced;
}

/** Whether only finalizers of others hold a replica that is being deleted: the instance does not wait for them. */
function isLeftToOthers({ metadata }: ConnectorReplica): boolean {
  return metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(FINALIZER);
}

async function apply(
  { apiVersion, kind, metadata: { name, namespace } }: ConnectorInstance,
  conditions: readonly object[],
  { kube, releaseId }: ReconcileContext['cluster'],
): Promise<void> {
  const object = { apiVersion, kind, metadata: { name, namespace }, status: { conditions } };
  await kube.apply(KINDS.connectorInstance, object as unknown as ConnectorInstance, {
    status: true,
    manager: managerOf(releaseId),
  });
}

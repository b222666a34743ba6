import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';
import { KINDS } from '../../api/kinds.js';
import { mergeConditions, type Observed } from '../../kube/record/conditions.js';
import type { ReconcileContext } from './reconcile-context.js';

/** The condition by which a release says that it leaves an instance to another one. */
const TYPE = 'OwnedElsewhere';
const REASON = 'OwnedByAnotherRelease';

/** Who writes the condition: another than the one that writes all others, so that two releases never change each other's. */
const managerOf = (releaseId: string): string => `aip-controller ${releaseId}`.slice(0, 128);

/** Says on an instance that another release runs it, once; nothing else of it is read or changed. */
export async function writeForeign(
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

/** Takes the condition back from an instance that this release runs now. */
export async function withdrawForeign(
  instance: ConnectorInstance,
  { cluster }: Pick<ReconcileContext, 'cluster'>,
): Promise<void> {
  const said = instance.status?.conditions?.find(({ type }) => type === TYPE);
  if (said?.message.includes(`${cluster.releaseId} leaves it alone`)) await apply(instance, [], cluster);
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

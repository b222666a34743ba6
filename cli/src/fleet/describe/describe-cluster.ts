import { KINDS } from '@aip/controller/internal/api';
import { type Kube, KubeForbidden } from '@aip/controller/internal/kube';
import { UsageError } from '../../client/errors.js';
import type { EventObject, InstanceObject, ReplicaObject } from '../../kube/objects.js';
import { notAllowed } from '../cluster-fleet.js';
import { instanceViews } from '../instance-view.js';
import { type ClusterDescription, type EventView, lastEvents } from './description.js';

/** Events shown. */
const MOST_EVENTS = 15;

/** Everything about one instance; without a namespace the only one of that name. Throws UsageError, RightMissing, KubeError. */
export async function describeInCluster(
  kube: Kube,
  name: string,
  namespace: string | undefined,
): Promise<ClusterDescription> {
  const found = await findInstance(kube, name, namespace).catch((error: unknown) => {
    throw notAllowed(error, namespace);
  });
  const { metadata, status, spec } = found;
  const place = { namespace: metadata.namespace };
  const replicas = await kube.list<ReplicaObject>(KINDS.connectorReplica, place);
  const own = replicas.items.filter((replica) => replica.spec.instanceRef.name === name);
  const names = new Set([name, ...own.flatMap(namesOf)]);
  const [instance] = instanceViews([found], own);
  if (!instance) throw new RangeError('one instance gives one view');
  return {
    kind: 'cluster',
    instance,
    instance_id: status?.instanceId ?? null,
    version_id: status?.versionId ?? null,
    manifest_digest: status?.manifestDigest ?? null,
    config_revision: status?.configRevision ?? null,
    capabilities: status?.capabilities ?? null,
    ...(status?.webhookUrl !== undefined && { webhook_url: status.webhookUrl }),
    conditions: status?.conditions ?? [],
    bindings: spec.bindings ?? [],
    events: await eventsOf(kube, metadata.namespace ?? '', names),
  };
}

function namesOf(replica: ReplicaObject): string[] {
  const pod = replica.status?.podName;
  return pod === undefined ? [replica.metadata.name] : [replica.metadata.name, pod];
}

async function findInstance(kube: Kube, name: string, namespace: string | undefined): Promise<InstanceObject> {
  if (namespace !== undefined) {
    const found = await kube.get<InstanceObject>(KINDS.connectorInstance, { namespace, name });
    if (found) return found;
    throw new UsageError(
      `There is no ConnectorInstance ${name} in the namespace ${namespace}.`,
      `\`aip fleet status -n ${namespace}\` shows those there are.`,
    );
  }
  const { items } = await kube.list<InstanceObject>(KINDS.connectorInstance);
  const [first, ...others] = items.filter(({ metadata }) => metadata.name === name);
  if (!first)
    throw new UsageError(`There is no ConnectorInstance ${name}.`, '`aip fleet status` shows those there are.');
  if (others.length === 0) return first;
  const places = [first, ...others].map(({ metadata }) => metadata.namespace).join(', ');
  throw new UsageError(`There are several ConnectorInstances ${name}: in ${places}.`, 'Name one with --namespace.');
}

/** Events of the instance, its replicas and their Pods; null when the user may not list events. */
async function eventsOf(kube: Kube, namespace: string, names: ReadonlySet<string>): Promise<EventView[] | null> {
  try {
    const kinds = ['ConnectorInstance', 'ConnectorReplica', 'Pod'];
    const found = await Promise.all(
      kinds.map((kind) => kube.list<EventObject>(KINDS.event, { namespace, fieldSelector: `regarding.kind=${kind}` })),
    );
    return lastEvents(
      found.flatMap(({ items }) => items),
      names,
      MOST_EVENTS,
    );
  } catch (error) {
    if (error instanceof KubeForbidden) return null;
    throw error;
  }
}

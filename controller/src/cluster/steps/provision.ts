import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS, LABELS } from '../../api/group.js';
import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import type { Admission } from '../../fleet/admission.js';
import type { Step } from '../../reconcile/step.js';
import type { ClusterContext } from '../context.js';
import { FINALIZER } from '../objects/names.js';
import { managedReplica } from '../objects/replica.js';
import { identified } from './identity.js';
import type { Target } from './target.js';

type Provision = Extract<Step, { do: 'provision' }>;

/** Makes the object, the key and the registry record of a replica, all as they should be; repeated, it finds them. */
export async function provision(
  step: Provision,
  target: Target & { admission: Admission },
  cluster: ClusterContext,
  instanceId: string,
): Promise<void> {
  const { admission } = target;
  const replica = step.managed ? await ownReplica(step, target, cluster) : await usersReplica(step, target, cluster);
  if (!replica) return;
  const { endpoint, peerDid, topology, capacity } = replica.spec;
  await cluster.registry.provision({
    replicaId: connectorReplicaId(replica, replica.metadata.uid as string),
    instanceId,
    versionId: step.managed ? (replica.spec.versionId as string) : admission.versionId,
    endpoint: endpoint as string,
    peerPrincipal: admission.manifest.agent,
    peerDid: peerDid as string,
    trustDomain: cluster.fleet.trustDomain,
    topology,
    capacity,
    configRevision: step.managed ? await revisionOf(step, target) : undefined,
  });
}

/** Revision that the host of a replica registers with: that of its template, which content that came back has kept. */
async function revisionOf({ template }: Provision, { shared, configRevision }: Target): Promise<number> {
  return (await shared.template(template))?.template.launch.configRevision ?? configRevision;
}

/** Object, key and template of a replica that the fleet runs. */
async function ownReplica(
  { replica: name, ordinal, template }: Provision,
  { instance, admission, replicas, identified: looked, shared, wrote }: Target & { admission: Admission },
  cluster: ClusterContext,
): Promise<ConnectorReplica> {
  const { ensure, clusterDomain } = cluster;
  const templateDigest = (await shared.template(template))?.digest ?? '';
  const wanted = managedReplica(instance, {
    name,
    ordinal,
    template,
    templateDigest,
    release: cluster.releaseId,
    admission,
    clusterDomain,
  });
  const made = replicas.get(name) ?? (await ensure.created(KINDS.connectorReplica, instance, wanted));
  looked.add(name);
  return identified(made, { cluster, wrote, authority: shared.authority });
}

/** A replica that the user wrote gets what only the fleet knows, and our finalizer, since a registry record hangs on it. */
async function usersReplica(
  { replica: name }: Provision,
  { admission, replicas, wrote }: Target & { admission: Admission },
  { kube, releaseId }: ClusterContext,
): Promise<ConnectorReplica | undefined> {
  const replica = replicas.get(name);
  if (!replica || replica.metadata.deletionTimestamp) return undefined;
  const { finalizers = [], resourceVersion } = replica.metadata;
  const { versionId, manifestDigest } = admission;
  if (
    finalizers.includes(FINALIZER) &&
    replica.spec.versionId === versionId &&
    replica.spec.manifestDigest === manifestDigest
  )
    return replica;
  const marked = await kube.merge<ConnectorReplica>(KINDS.connectorReplica, replica.metadata, {
    metadata: {
      resourceVersion,
      finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER],
      labels: { [LABELS.instance]: replica.spec.instanceRef.name },
      annotations: { [ANNOTATIONS.release]: releaseId },
    },
    spec: { versionId, manifestDigest },
  });
  wrote(marked);
  return marked;
}

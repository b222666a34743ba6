import type { ConnectorReplica } from '../../api/connector-replica.js';
import { LABELS } from '../../api/group.js';
import { connectorReplicaId } from '../../api/names.js';
import type { Admission } from '../../fleet/admission.js';
import { KINDS } from '../../kube/kinds.js';
import type { Step } from '../../reconcile/step.js';
import type { Subject } from '../instance/target.js';
import { FINALIZER } from '../objects/names.js';
import { managedReplica } from '../objects/replica.js';
import type { ClusterMachine } from '../process/context.js';
import { identified } from './identity.js';

type Provision = Extract<Step, { do: 'provision' }>;

/** Makes the object, the key and the registry record of a replica, all as they should be; repeated, it finds them. */
export async function provision(
  step: Provision,
  subject: Subject & { admission: Admission },
  machine: ClusterMachine,
  instanceId: string,
): Promise<void> {
  const { admission } = subject;
  const replica = step.managed ? await ownReplica(step, subject, machine) : await usersReplica(step, subject, machine);
  if (!replica) return;
  const { endpoint, peerDid, topology, capacity } = replica.spec;
  await machine.registry.provision({
    replicaId: connectorReplicaId(replica, replica.metadata.uid as string),
    instanceId,
    versionId: step.managed ? (replica.spec.versionId as string) : admission.versionId,
    endpoint: endpoint as string,
    peerPrincipal: admission.manifest.agent,
    peerDid: peerDid as string,
    trustDomain: machine.fleet.trustDomain,
    topology,
    capacity,
    configRevision: step.managed ? subject.configRevision : undefined,
  });
}

/** Object, key and template of a replica that the fleet runs. */
async function ownReplica(
  { replica: name, ordinal, template }: Provision,
  { instance, admission, replicas, identified: looked, shared, wrote }: Subject & { admission: Admission },
  machine: ClusterMachine,
): Promise<ConnectorReplica> {
  const { ensure, clusterDomain } = machine;
  await shared.template(template);
  const wanted = managedReplica(instance, { name, ordinal, template, admission, clusterDomain });
  const made = replicas.get(name) ?? (await ensure.created(KINDS.connectorReplica, instance, wanted));
  looked.add(name);
  return identified(made, { machine, wrote, authority: shared.authority });
}

/** A replica that the user wrote gets what only the fleet knows, and our finalizer, since a registry record hangs on it. */
async function usersReplica(
  { replica: name }: Provision,
  { admission, replicas, wrote }: Subject & { admission: Admission },
  { kube }: ClusterMachine,
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
    },
    spec: { versionId, manifestDigest },
  });
  wrote(marked);
  return marked;
}

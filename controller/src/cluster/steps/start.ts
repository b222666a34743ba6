import type { ConnectorReplica } from '../../api/connector-replica.js';
import { LABELS } from '../../api/group.js';
import { connectorReplicaId } from '../../api/names.js';
import { KINDS } from '../../kube/kinds.js';
import { hasEnded } from '../instance/gather.js';
import type { Subject } from '../instance/target.js';
import { hostPod } from '../objects/host-pod.js';
import { templateConfigMapName } from '../objects/names.js';
import type { ClusterMachine } from '../process/context.js';
import { TemplateLost } from '../provision/shared-objects.js';
import { identified, retire } from './identity.js';
import { surroundings } from './shared-objects.js';

/** Starts the Pod of a replica, unless there is one; one that has ended for good goes first. */
export async function start(name: string, subject: Subject, machine: ClusterMachine): Promise<void> {
  const { instance, shared, wrote } = subject;
  const { kube, ensure } = machine;
  const present = subject.pods.get(name);
  if (present) {
    // Its end will be seen, and then another one is made.
    if (hasEnded(present))
      await kube.delete(KINDS.pod, present.metadata, { uid: present.metadata.uid, graceSeconds: 0 });
    return;
  }
  const { namespace } = instance.metadata;
  // What this round wrote itself is as new as it can be.
  const replica = subject.identified.has(name)
    ? subject.replicas.get(name)
    : await kube.get<ConnectorReplica>(KINDS.connectorReplica, { namespace, name });
  const hash = replica?.metadata.labels?.[LABELS.template];
  if (!replica?.spec.peerDid || hash === undefined) return;
  const template = await shared.template(hash);
  if (!template) {
    await retire(replica, TemplateLost.name, { machine, wrote });
    throw new TemplateLost(namespace, templateConfigMapName(instance.metadata.name, hash), name);
  }
  // A Pod whose Secret is missing would wait for it for ever.
  if (!subject.identified.has(name)) await identified(replica, { machine, wrote, authority: shared.authority });
  await machine.trustIn(namespace);
  await shared.database();
  await surroundings(instance, machine);
  const replicaId = connectorReplicaId(replica, replica.metadata.uid as string);
  await ensure.created(KINDS.pod, replica, hostPod(replica, { template, replicaId, fleet: machine.fleet }));
}

import { KINDS } from '@aip/controller/internal/api';
import { type Kube, KubeForbidden } from '@aip/controller/internal/kube';
import { RightMissing } from '../client/errors.js';
import type { InstanceObject, ReplicaObject } from '../kube/objects.js';
import { type InstanceView, instanceViews } from './instance-view.js';

/** All instances with their replicas, in one namespace or in all. Throws RightMissing, KubeError. */
export async function readClusterFleet(kube: Kube, namespace?: string): Promise<InstanceView[]> {
  const [instances, replicas] = await Promise.all([
    kube.list<InstanceObject>(KINDS.connectorInstance, { namespace }),
    kube.list<ReplicaObject>(KINDS.connectorReplica, { namespace }),
  ]).catch((error: unknown) => {
    throw notAllowed(error, namespace);
  });
  return instanceViews(instances.items, replicas.items);
}

/** A refusal of the API server with what to do instead. */
export function notAllowed(error: unknown, namespace: string | undefined): unknown {
  if (!(error instanceof KubeForbidden)) return error;
  return namespace === undefined
    ? new RightMissing('You may not list the fleet of all namespaces.', 'Name yours with --namespace.')
    : new RightMissing(
        `You may not list connectorinstances and connectorreplicas in the namespace ${namespace}.`,
        'Ask for the right, or name another namespace.',
      );
}

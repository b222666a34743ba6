import type { ConnectorInstance } from '../../api/connector-instance.js';
import { KINDS } from '../../api/kinds.js';
import type { ClusterContext } from '../context.js';
import { disruptionBudget, headlessService, hostNetworkPolicy } from '../objects/instance-objects.js';

/** Keeps what stands around the hosts of an instance, and removes a policy that is not wanted any more. At rest it costs nothing. */
export async function ensureSharedObjects(
  instance: ConnectorInstance,
  { ensure, networkPolicy, hostEgress, releaseNamespace }: ClusterContext,
): Promise<void> {
  await ensure.applied(KINDS.service, instance, headlessService(instance));
  await ensure.applied(KINDS.podDisruptionBudget, instance, disruptionBudget(instance));
  const policy = hostNetworkPolicy(instance, releaseNamespace, hostEgress);
  if (networkPolicy) await ensure.applied(KINDS.networkPolicy, instance, policy);
  else await ensure.removed(KINDS.networkPolicy, instance, policy.metadata);
}

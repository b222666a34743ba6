import { KINDS } from '../../api/kinds.js';
import { connectorInstanceId } from '../../api/names.js';
import { applyRegistryStep, disableInstance, versionToAdmit } from '../../fleet/registry-steps.js';
import { removeFinalizer } from '../../kube/record/finalizer.js';
import type { Step } from '../../reconcile/step.js';
import type { ClusterContext } from '../context.js';
import { FINALIZER } from '../objects/names.js';
import { retire } from '../steps/identity.js';
import { provision } from '../steps/provision.js';
import { remove } from '../steps/remove.js';
import { start } from '../steps/start.js';
import { stop } from '../steps/stop.js';
import type { Target } from '../steps/target.js';

/** Carries out one step in a cluster. Steps may be repeated. */
export async function applyStep(step: Step, target: Target, cluster: ClusterContext): Promise<void> {
  const { instance, admission } = target;
  const { spec } = instance;
  const { registry } = cluster;
  const registered = { resource: instance, uid: instance.metadata.uid as string };
  const instanceId = connectorInstanceId(instance, registered.uid);
  switch (step.do) {
    case 'describe':
      return cluster.descriptions.ask(instance);
    case 'admit-version':
      if (!admission) return;
      return registry.admitVersion(versionToAdmit(step.versionId, instance, admission));
    case 'put-instance':
    case 'put-binding':
    case 'put-canary':
    case 'put-scaling':
    case 'begin-idle':
    case 'end-wake':
      return applyRegistryStep(registry, step, registered);
    case 'provision':
      if (admission) await provision(step, { ...target, admission }, cluster, instanceId);
      return;
    case 'start':
      return start(step.replica, target, cluster);
    case 'drain': {
      const replica = target.replicas.get(step.replica);
      if (!replica) return;
      await retire(replica, step.reason, { cluster, wrote: target.wrote });
      return stop(step.replica, step.timeoutMs, target, cluster);
    }
    case 'stop':
      return stop(step.replica, step.timeoutMs, target, cluster);
    case 'remove':
      return remove(step.replica, target, cluster);
    case 'forget-instance': {
      await disableInstance(registry, registered, target.registered);
      await registry.putCanary(instanceId, undefined);
      await registry.putScaling(instanceId, undefined);
      cluster.databases.forget(instance);
      if (spec.hosting === 'Managed')
        await cluster.databases[spec.deletionPolicy === 'Delete' ? 'drop' : 'retain'](instance);
      await cluster.withoutTrust(instance.metadata.namespace);
      await removeFinalizer(cluster.kube, KINDS.connectorInstance, instance, FINALIZER);
      return;
    }
  }
}

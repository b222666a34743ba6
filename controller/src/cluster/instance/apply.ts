import { KINDS } from '../../api/kinds.js';
import { connectorInstanceId, secretProviderRef } from '../../api/names.js';
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
  const instanceId = connectorInstanceId(instance, instance.metadata.uid as string);
  const instanceRecord = (change: { versionId: string; configRevision: number; enabled: boolean }) => ({
    instanceId,
    connectorType: spec.connector.type,
    tenantId: spec.tenantId,
    secretProviderRef: secretProviderRef(instance),
    ...change,
  });
  switch (step.do) {
    case 'describe':
      return cluster.descriptions.ask(instance);
    case 'admit-version':
      if (!admission) return;
      return registry.admitVersion({
        versionId: step.versionId,
        connectorType: spec.connector.type,
        versionLabel: spec.connector.version,
        manifest: admission.manifest,
        manifestDigest: admission.manifestDigest,
        artifactDigest: admission.artifactDigest,
        implementationSupport: admission.implementationSupport,
      });
    case 'put-instance': {
      const { versionId, configRevision, enabled } = step;
      return registry.putInstance(instanceRecord({ versionId, configRevision, enabled }));
    }
    case 'put-binding':
      return registry.putBinding(spec.tenantId, instanceId, step);
    case 'put-canary':
      return registry.putCanary(instanceId, step.canary);
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
      const { registered } = target;
      if (registered?.enabled)
        await registry.putInstance(
          instanceRecord({
            versionId: registered.versionId,
            configRevision: registered.configRevision + 1,
            enabled: false,
          }),
        );
      await registry.putCanary(instanceId, undefined);
      cluster.databases.forget(instance);
      if (spec.hosting === 'Managed')
        await cluster.databases[spec.deletionPolicy === 'Delete' ? 'drop' : 'retain'](instance);
      await cluster.withoutTrust(instance.metadata.namespace);
      await removeFinalizer(cluster.kube, KINDS.connectorInstance, instance, FINALIZER);
      return;
    }
  }
}

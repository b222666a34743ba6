import { connectorInstanceId, secretProviderRef } from '../../api/names.js';
import { KINDS } from '../../kube/kinds.js';
import { removeFinalizer } from '../../kube/record/finalizer.js';
import type { Step } from '../../reconcile/step.js';
import { FINALIZER } from '../objects/names.js';
import type { ClusterMachine } from '../process/context.js';
import { retire } from '../steps/identity.js';
import { provision } from '../steps/provision.js';
import { remove } from '../steps/remove.js';
import { start } from '../steps/start.js';
import { stop } from '../steps/stop.js';
import type { Subject } from './target.js';

/** Carries out one step in a cluster. Steps may be repeated. */
export async function applyStep(step: Step, subject: Subject, machine: ClusterMachine): Promise<void> {
  const { instance, admission } = subject;
  const { spec } = instance;
  const { registry } = machine;
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
      return machine.descriptions.ask(instance);
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
    case 'provision':
      if (admission) await provision(step, { ...subject, admission }, machine, instanceId);
      return;
    case 'start':
      return start(step.replica, subject, machine);
    case 'drain': {
      const replica = subject.replicas.get(step.replica);
      if (!replica) return;
      await retire(replica, step.reason, { machine, wrote: subject.wrote });
      return stop(step.replica, step.timeoutMs, subject, machine);
    }
    case 'stop':
      return stop(step.replica, step.timeoutMs, subject, machine);
    case 'remove':
      return remove(step.replica, subject, machine);
    case 'forget-instance': {
      const { registered } = subject;
      if (registered?.enabled)
        await registry.putInstance(
          instanceRecord({
            versionId: registered.versionId,
            configRevision: registered.configRevision + 1,
            enabled: false,
          }),
        );
      machine.databases.forget(instance);
      if (spec.deletionPolicy === 'Delete' && spec.hosting === 'Managed') await machine.databases.drop(instance);
      await removeFinalizer(machine.kube, KINDS.connectorInstance, instance, FINALIZER);
      return;
    }
  }
}

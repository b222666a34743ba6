import type { ConnectorInstance } from '../api/connector-instance.js';
import { connectorInstanceId, secretProviderRef } from '../api/names.js';
import type { Step } from '../reconcile/step.js';
import type { Admission } from './admission.js';
import type { FleetRegistry, InstanceToPut, VersionToAdmit } from './fleet-registry.js';

/** The steps that change the registry alone, wherever the hosts run. */
export type RegistryStep = Extract<
  Step,
  { do: 'put-instance' | 'put-binding' | 'put-canary' | 'put-scaling' | 'begin-idle' | 'end-wake' }
>;

/** An instance with the uid by which the registry knows it. */
export interface RegisteredInstance {
  readonly resource: ConnectorInstance;
  readonly uid: string;
}

/** What the registry is given of an admitted version. */
export function versionToAdmit(
  versionId: string,
  { spec: { connector } }: ConnectorInstance,
  { manifest, manifestDigest, artifactDigest, implementationSupport }: Admission,
): VersionToAdmit {
  return {
    versionId,
    connectorType: connector.type,
    versionLabel: connector.version,
    manifest,
    manifestDigest,
    artifactDigest,
    implementationSupport,
  };
}

/** Carries out a step that changes the registry alone. Steps may be repeated. */
export async function applyRegistryStep(
  registry: FleetRegistry,
  step: RegistryStep,
  instance: RegisteredInstance,
): Promise<void> {
  const { resource, uid } = instance;
  const instanceId = connectorInstanceId(resource, uid);
  switch (step.do) {
    case 'put-instance':
      return registry.putInstance(instanceToPut(instance, step));
    case 'put-binding':
      return registry.putBinding(resource.spec.tenantId, instanceId, step);
    case 'put-canary':
      return registry.putCanary(instanceId, step.canary);
    case 'put-scaling':
      return registry.putScaling(instanceId, step.scaling);
    case 'begin-idle':
      await registry.beginIdle(instanceId);
      return;
    case 'end-wake':
      return registry.endWake(instanceId);
  }
}

/** Disables an instance that is removed, as a revision of its own; nothing where the registry has it disabled, or not at all. */
export async function disableInstance(
  registry: FleetRegistry,
  instance: RegisteredInstance,
  registered: Pick<InstanceToPut, 'versionId' | 'configRevision' | 'enabled'> | undefined,
): Promise<void> {
  if (!registered?.enabled) return;
  const { versionId, configRevision } = registered;
  await registry.putInstance(
    instanceToPut(instance, { versionId, configRevision: configRevision + 1, enabled: false }),
  );
}

function instanceToPut(
  { resource, uid }: RegisteredInstance,
  {
    versionId,
    configRevision,
    enabled,
    keepsRoutes,
  }: Pick<InstanceToPut, 'versionId' | 'configRevision' | 'enabled' | 'keepsRoutes'>,
): InstanceToPut {
  return {
    instanceId: connectorInstanceId(resource, uid),
    connectorType: resource.spec.connector.type,
    versionId,
    tenantId: resource.spec.tenantId,
    configRevision,
    secretProviderRef: secretProviderRef(resource),
    enabled,
    ...(keepsRoutes !== undefined && { keepsRoutes }),
  };
}

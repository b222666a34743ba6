import type { ConnectorInstance } from '../api/connector-instance.js';
import { connectorInstanceId, secretProviderRef } from '../api/names.js';
import type { Admission } from './admission.js';

/** Everything a host is started with; kept as it was when the replica was made, so that an old replica restarts as what it is. */
export interface Launch {
  connectorType: string;
  config: unknown;
  secrets: ConnectorInstance['spec']['secrets'];
  events: boolean;
  topology: ConnectorInstance['spec']['topology'];
  capacity: number;
  tenantId: string;
  configRevision: number;
  secretProviderRef: string;
  instanceId: string;
  versionId: string;
  artifactDigest: string;
  drainTimeoutMs: number;
}

/** What the hosts of an instance are started with now. `uid` and `configRevision` are those of the instance. */
export function launchOf(
  instance: ConnectorInstance,
  { uid, configRevision, admission }: { uid: string; configRevision: number; admission: Admission },
): Launch {
  const { spec } = instance;
  return {
    connectorType: spec.connector.type,
    config: spec.config,
    secrets: spec.secrets,
    events: spec.events.enabled,
    topology: spec.topology,
    capacity: spec.capacity,
    tenantId: spec.tenantId,
    configRevision,
    secretProviderRef: secretProviderRef(instance),
    instanceId: connectorInstanceId(instance, uid),
    versionId: admission.versionId,
    artifactDigest: admission.artifactDigest,
    drainTimeoutMs: spec.rollout.drainTimeoutSeconds * 1000,
  };
}

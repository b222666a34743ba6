import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import type { Admission } from '../../fleet/admission.js';
import type { Pod } from '../objects/host-pod.js';
import type { Shared } from '../provision/shared-objects.js';

/** One instance as a reconcile found it. */
export interface Target {
  instance: ConnectorInstance;
  configRevision: number;
  admission: Admission | undefined;
  replicas: ReadonlyMap<string, ConnectorReplica>;
  pods: ReadonlyMap<string, Pod>;
  /** Registry record of the instance, if there is one. */
  registered: { versionId: string; configRevision: number; enabled: boolean } | undefined;
  /** What its replicas have in common. */
  shared: Shared;
  /** Replicas whose identity was checked in this reconcile. */
  identified: Set<string>;
  /** Called with every ConnectorReplica that a step wrote. */
  wrote(replica: ConnectorReplica): void;
}

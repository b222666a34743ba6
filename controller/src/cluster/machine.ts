import type { ConnectorInstance } from '../api/connector-instance.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import type { Admission } from '../fleet/admission.js';
import type { FleetRegistry } from '../fleet/fleet-registry.js';
import type { CentralAddresses } from '../fleet/host-variables.js';
import type { Kube } from '../kube/kube.js';
import type { Databases } from './databases.js';
import type { Descriptions } from './descriptions.js';
import type { Ensure } from './ensure.js';
import type { KnownIdentity } from './identities.js';
import type { Pod } from './objects/host-pod.js';

/** What carrying out steps in a cluster needs. */
export interface ClusterMachine {
  kube: Kube;
  ensure: Ensure;
  registry: FleetRegistry;
  databases: Databases;
  descriptions: Descriptions;
  /** Makes or renews the identity Secret of a replica. */
  identify(replica: ConnectorReplica): Promise<KnownIdentity>;
  /** Id of the authority that signs now. */
  issuer(): Promise<string | undefined>;
  /** Puts the fleet's public trust into a namespace. */
  trustIn(namespace: string): Promise<void>;
  fleet: CentralAddresses;
  runtimeImage: string;
  clusterDomain: string;
  releaseNamespace: string;
  networkPolicy: boolean;
}

/** One instance as a round found it. */
export interface Subject {
  instance: ConnectorInstance;
  configRevision: number;
  admission: Admission | undefined;
  replicas: ReadonlyMap<string, ConnectorReplica>;
  pods: ReadonlyMap<string, Pod>;
  /** Registry record of the instance, if there is one. */
  registered: { versionId: string; configRevision: number; enabled: boolean } | undefined;
  /** Replicas whose identity was looked at in this round. */
  identified: Set<string>;
  /** Told of every ConnectorReplica that a step wrote. */
  wrote(replica: ConnectorReplica): void;
}

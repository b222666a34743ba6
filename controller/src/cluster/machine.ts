import type { ConnectorInstance } from '../api/connector-instance.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import type { Admission } from '../fleet/admission.js';
import type { FleetRegistry } from '../fleet/fleet-registry.js';
import type { CentralAddresses } from '../fleet/host-variables.js';
import type { Kube } from '../kube/kube.js';
import type { ActiveAuthority } from '../trust/active-authority.js';
import type { Databases } from './databases.js';
import type { Descriptions } from './descriptions.js';
import type { Ensure } from './ensure.js';
import type { KnownIdentity } from './identities.js';
import type { Pod } from './objects/host-pod.js';
import type { Shared } from './shared.js';

/** What carrying out steps in a cluster needs. */
export interface ClusterMachine {
  kube: Kube;
  ensure: Ensure;
  registry: FleetRegistry;
  databases: Databases;
  descriptions: Descriptions;
  /** The authority that signs now; undefined when there is none that can. */
  authority(): Promise<ActiveAuthority | undefined>;
  /** Makes or renews the identity Secret of a replica; `authority` is asked only when something has to be signed or compared. */
  identify(replica: ConnectorReplica, authority: ClusterMachine['authority']): Promise<KnownIdentity>;
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
  /** What its replicas have in common. */
  shared: Shared;
  /** Replicas whose identity was looked at in this round. */
  identified: Set<string>;
  /** Told of every ConnectorReplica that a step wrote. */
  wrote(replica: ConnectorReplica): void;
}

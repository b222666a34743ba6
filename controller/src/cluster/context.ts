import type { ConnectorReplica } from '../api/connector-replica.js';
import type { FleetRegistry } from '../fleet/fleet-registry.js';
import type { CentralAddresses } from '../fleet/host-variables.js';
import type { Kube } from '../kube/kube.js';
import type { ActiveAuthority } from '../trust/replicas/active-authority.js';
import type { Descriptions } from './describe/descriptions.js';
import type { HostEgress } from './objects/instance-objects.js';
import type { WebhookEdge } from './objects/webhook-edge.js';
import type { Databases } from './provision/databases.js';
import type { Ensure } from './provision/ensure.js';
import type { KnownIdentity } from './provision/identities.js';

/** What carrying out steps in a cluster needs. */
export interface ClusterContext {
  kube: Kube;
  ensure: Ensure;
  registry: FleetRegistry;
  databases: Databases;
  descriptions: Descriptions;
  /** The authority that signs now; undefined when there is none that can. */
  authority(): Promise<ActiveAuthority | undefined>;
  /** Makes or renews the identity Secret of a replica; `authority` is asked only when something has to be signed or compared. */
  identify(replica: ConnectorReplica, authority: ClusterContext['authority']): Promise<KnownIdentity>;
  /** Puts the fleet's public trust into a namespace. */
  trustIn(namespace: string): Promise<void>;
  fleet: CentralAddresses;
  runtimeImage: string;
  clusterDomain: string;
  releaseNamespace: string;
  /** What this release is called among others: instances that it runs carry it. */
  releaseId: string;
  /** Name of the copies of what is trusted. */
  trustConfigMap: string;
  /** Removes the copy of a namespace that has no instances any more. */
  withoutTrust(namespace: string): Promise<void>;
  networkPolicy: boolean;
  hostEgress: HostEgress | undefined;
  webhooks: WebhookEdge;
}

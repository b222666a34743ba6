import type { ConnectorReplica } from '../../api/connector-replica.js';
import type { FleetRegistry } from '../../fleet/fleet-registry.js';
import type { CentralAddresses } from '../../fleet/host-variables.js';
import type { Kube } from '../../kube/kube.js';
import type { ActiveAuthority } from '../../trust/active-authority.js';
import type { Descriptions } from '../describe/descriptions.js';
import type { Databases } from '../provision/databases.js';
import type { Ensure } from '../provision/ensure.js';
import type { KnownIdentity } from '../provision/identities.js';

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
  networkPolicy: boolean;
}

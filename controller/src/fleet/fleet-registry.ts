import type { Manifest } from '@aip/runtime/internal/protocol';
import type { CanaryOutcome, ObservedBinding, ObservedRegistry } from '../reconcile/inputs.js';
import type { ReplicaFailure } from './outcomes/last-failures.js';

/** A version to admit, with everything the registry wants to know of it. */
export interface VersionToAdmit {
  versionId: string;
  connectorType: string;
  versionLabel: string;
  /** Bound to the host principal (docs/protocol/host.md#manifest-binding). */
  manifest: Manifest;
  manifestDigest: string;
  artifactDigest: string;
  implementationSupport: Record<string, Record<string, boolean>>;
}

/** An instance's registry record to be. */
export interface InstanceToPut {
  instanceId: string;
  connectorType: string;
  versionId: string;
  tenantId: string;
  configRevision: number;
  secretProviderRef: string;
  enabled: boolean;
  /** Whether the outcomes of its actions are counted; absent: as before. */
  keepsRoutes?: boolean;
}

/** A replica's registry record to be; it begins offline. */
export interface ReplicaToProvision {
  replicaId: string;
  instanceId: string;
  versionId: string;
  endpoint: string;
  peerPrincipal: { id: string; kind: string };
  peerDid: string;
  trustDomain: string;
  topology: { region: string; zone: string; capacityClass: string };
  capacity: number;
  /** Revision that its host registers with; that of the instance's record unless given. */
  configRevision?: number | undefined;
}

/** A replica as the registry holds it. */
export interface RegistryReplica {
  replicaId: string;
  instanceId: string;
  versionId: string;
  endpoint: string;
  did: string;
  status: 'ready' | 'draining' | 'offline';
  /** Ms since the epoch; 0 when it never had a lease. */
  leaseExpiresAt: number;
  capacity: number;
  active: number;
  /** Actions pinned to it that have not ended; `active` also counts places that gateways hold unused. */
  pinned: number;
  /** Gateways send it no new work before this time, since they could not reach its host, in ms since the epoch; 0 when they can. */
  circuitOpenUntil: number;
  /** Actions in a row that did not reach its host or whose answer was lost. */
  consecutiveFailures: number;
}

/** What of a replica's record says how its host is. */
export type RegistryLease = Pick<
  RegistryReplica,
  | 'replicaId'
  | 'instanceId'
  | 'status'
  | 'leaseExpiresAt'
  | 'circuitOpenUntil'
  | 'consecutiveFailures'
  | 'capacity'
  | 'active'
>;

/** What the desired-state loop needs of the registry. Every write may be repeated without effect. */
export interface FleetRegistry {
  observe(instanceId: string, versionId: string | undefined): Promise<ObservedRegistry>;
  /** All replicas, or those of one instance. */
  replicas(instanceId?: string): Promise<RegistryReplica[]>;
  /** How the hosts of all replicas are; cheap enough to read every second. */
  leases(): Promise<RegistryLease[]>;
  admitVersion(version: VersionToAdmit): Promise<void>;
  putInstance(instance: InstanceToPut): Promise<void>;
  putBinding(tenantId: string, instanceId: string, binding: ObservedBinding): Promise<void>;
  /** Says that another version takes a share of an instance's new work, or that none does. */
  putCanary(instanceId: string, canary: { versionId: string; percent: number } | undefined): Promise<void>;
  /** Stores that an instance may go without hosts while no action needs it, or that it may not. */
  putScaling(instanceId: string, scaling: { idleAfterMs: number; wakeTimeoutMs: number } | undefined): Promise<void>;
  /** Lets it go idle, unless an action used it meanwhile. */
  beginIdle(instanceId: string): Promise<boolean>;
  /** Says that a woken instance has hosts again. */
  endWake(instanceId: string): Promise<void>;
  /** Where the instances that may go without hosts are, by instance id; cheap enough to read every second. */
  scalingStates(): Promise<ReadonlyMap<string, string>>;
  /** How the last actions of some replicas ended since a time, in ms since the epoch. */
  canaryOutcome(replicaIds: readonly string[], since: number): Promise<CanaryOutcome>;
  /** The newest failure of each of some replicas, by id, where one is among the last actions. */
  failures(replicaIds: readonly string[]): Promise<ReadonlyMap<string, ReplicaFailure>>;
  provision(replica: ReplicaToProvision): Promise<void>;
  /** Says that no host of a replica gets a lease again, or that one may again. */
  retire(replicaId: string, retiring: boolean): Promise<void>;
  remove(replicaId: string): Promise<void>;
}

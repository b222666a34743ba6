import { type MigrationLog, migrate } from '../postgres/migrate.js';
import type { Pool, Queryable } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { type Allotments, openAllotments } from './allotments/allotments.js';
import { type PlannedRoute, planRoute } from './allotments/plan.js';
import type { HeldRelease } from './allotments/release-held.js';
import { bindingsOf, type CapabilityBinding, putBinding } from './bindings.js';
import { type TenantCapability, tenantCapabilities } from './catalog/capability.js';
import { type CatalogPage, type CatalogQuery, readCatalogPage } from './catalog/page.js';
import { type TenantResource, tenantResources } from './catalog/resources.js';
import { readCatalogRevision } from './catalog-revision.js';
import { type ConnectorType, putConnectorType, setTypeEnabled } from './connector-types.js';
import { type IngressSender, ingressSenders } from './ingress/sender.js';
import { type ConnectorInstanceRecord, findInstance, putInstance } from './instances.js';
import { type LifecycleCommit, lifecycleCommits, type VerifiedLifecycleRequest } from './lifecycle/commit.js';
import { type HeldAssignment, heldAssignments, pruneAssignments } from './maintenance/assignments.js';
import { expireReplicas } from './maintenance/expire.js';
import { type FleetSummary, readFleetSummary } from './maintenance/summary.js';
import { peerDids } from './peer-dids.js';
import { type AdmissionPolicy, putPolicy } from './policies.js';
import {
  findReplica,
  listReplicas,
  provisionReplica,
  type Replica,
  type ReplicaProvision,
  removeReplica,
} from './replicas.js';
import { type AssignOutcome, assignRoutes } from './routes/assign.js';
import type { RouteAssignment, RoutedAction, RouteRequest } from './routes/assignment.js';
import { mayHaveBegun } from './routes/begun.js';
import { bindingsCache } from './routes/bindings-cache.js';
import { counterMaker } from './routes/counters.js';
import { findAssignment } from './routes/find.js';
import { journalingVersions } from './routes/journals.js';
import { type Placement, placeRoutes } from './routes/place.js';
import { replicaView } from './routes/replica-view.js';
import { type FreedSlot, type RouteSettlement, releaseRoutes, settleRoutes } from './routes/settle.js';
import { requestWake } from './scaling.js';
import { REGISTRY_MIGRATIONS } from './schema/migrations.js';
import { admitVersion, setVersionStatus, type VersionAdmission, type VersionStatus } from './versions.js';

/** What the fleet is: connector types, versions, instances, replicas, leases, bindings, routes and the catalog (docs/protocol/registry.md). */
export interface Registry {
  /** Brings schema `registry` to the newest step. */
  migrate(log?: MigrationLog): Promise<number>;
  catalogRevision(): Promise<number>;
  readonly types: {
    put(type: ConnectorType): Promise<void>;
    setEnabled(id: string, enabled: boolean): Promise<void>;
  };
  readonly versions: {
    admit(version: VersionAdmission): Promise<void>;
    setStatus(id: string, status: VersionStatus): Promise<void>;
  };
  readonly instances: {
    put(instance: ConnectorInstanceRecord): Promise<void>;
    find(id: string): Promise<ConnectorInstanceRecord | undefined>;
  };
  readonly bindings: {
    put(binding: CapabilityBinding): Promise<void>;
    of(instanceId: string): Promise<CapabilityBinding[]>;
  };
  readonly policies: { put(policy: AdmissionPolicy): Promise<void> };
  readonly replicas: {
    provision(replica: ReplicaProvision): Promise<void>;
    get(id: string): Promise<Replica | undefined>;
    /** Whether its host signs with the DID; what is committed for it checks that again. */
    isPeer(id: string, did: string): Promise<boolean>;
    list(instanceId?: string): Promise<Replica[]>;
    remove(id: string): Promise<void>;
  };
  readonly lifecycle: { commit(request: VerifiedLifecycleRequest, ttlMs: number): Promise<LifecycleCommit> };
  readonly routes: {
    assign(requests: readonly RouteRequest[]): Promise<AssignOutcome[]>;
    /** A route of a new action that is stored with the action; undefined where it must be assigned after it. */
    plan(request: RouteRequest): Promise<PlannedRoute | undefined>;
    find(action: RoutedAction): Promise<RouteAssignment | undefined>;
    /** Whether an earlier dispatch of the action may have begun its work. */
    mayHaveBegun(action: RoutedAction): Promise<boolean>;
    /** Whether the hosts of a version journal actions by id, so that one may be sent again. */
    journals(versionId: string): Promise<boolean>;
    /** Releases assignments in the transaction of `client`, or as `release` does; returns how many still held their place. */
    settle(items: readonly RouteSettlement[], client?: Queryable): Promise<number>;
    /** Releases assignments in a commit of its own that does not wait for the disk; returns how many still held their place. */
    release(items: readonly RouteSettlement[], db?: Queryable): Promise<number>;
    /** These were released by the commit that ended their actions. */
    released(routes: readonly HeldRelease[]): void;
    /** The transaction in which `settle` released these is committed: they no longer count in the shares of this process. */
    committed(releases: readonly RouteSettlement[]): void;
  };
  readonly catalog: {
    page(query: CatalogQuery): Promise<CatalogPage>;
    capability(tenantId: string, capabilityId: string): Promise<TenantCapability | undefined>;
    /** The resources that a tenant's connectors offer, by id. */
    resources(tenantId: string): Promise<readonly TenantResource[]>;
  };
  readonly ingress: { sender(replicaId: string): Promise<IngressSender | undefined> };
  /** The shares of this process, where it holds any. */
  readonly allotments: Allotments | undefined;
  readonly maintenance: {
    expire(limit: number): Promise<number>;
    /** Assignments that have held their place since before a time (ms since the epoch), longest first, from behind `after` on. */
    held(beforeMs: number, limit: number, after?: HeldAssignment): Promise<HeldAssignment[]>;
    /** Removes assignments that were settled before a time, in batches whose rows it reports to `removed`; returns how many. */
    prune(beforeMs: number, removed?: (rows: number) => void, signal?: AbortSignal): Promise<number>;
    summary(): Promise<FleetSummary>;
  };
}

export interface RegistryOptions {
  /** Connections of leases, routes and reads. */
  readonly data: Pool;
  /** Connections of catalog writes and migrations; default: the data pool. */
  readonly control?: Pool | undefined;
  readonly clock: Clock;
  /** Connections on which this process places new routes in shares of its own; absent: each placement locks what it counts. */
  readonly shares?: Pool | undefined;
  /** Whether http endpoints on loopback may be provisioned. */
  readonly allowLoopbackHttp?: boolean;
}

/** Opens the registry over a database; touches nothing before the first call. */
export function openRegistry({
  data,
  control = data,
  clock,
  shares,
  allowLoopbackHttp = false,
}: RegistryOptions): Registry {
  const bindings = bindingsCache(data);
  const counters = counterMaker();
  const placeDirectly = (placements: readonly Placement[]) =>
    placeRoutes(shares ?? data, counters, placements, clock());
  const allotments = shares && openAllotments({ pool: shares, clock, counters, placeDirectly });
  const place = allotments?.place ?? placeDirectly;
  const replicas = replicaView(shares ?? data, clock, allotments?.idle);
  const senders = ingressSenders(data);
  const journals = journalingVersions(data);
  const capabilities = tenantCapabilities(data, clock);
  const resources = tenantResources(data);
  const commitLifecycle = lifecycleCommits(data, clock);
  const returned = (freed: readonly FreedSlot[]): number => {
    for (const { instanceId, replicaId } of freed) replicas.release(instanceId, replicaId);
    return freed.length;
  };
  const release = async (items: readonly RouteSettlement[], db: Queryable): Promise<number> => {
    const freed = await releaseRoutes(db, items, clock());
    allotments?.released(items.map(({ fenceToken }) => fenceToken));
    return returned(freed);
  };
  return {
    migrate: (log) => migrate(control, { schema: 'registry', migrations: REGISTRY_MIGRATIONS, log }),
    catalogRevision: () => readCatalogRevision(data),
    types: {
      put: (type) => putConnectorType(control, clock, type),
      setEnabled: (id, enabled) => setTypeEnabled(control, clock, id, enabled),
    },
    versions: {
      admit: (version) => admitVersion(control, clock, version),
      setStatus: (id, status) => setVersionStatus(control, clock, id, status),
    },
    instances: {
      put: (instance) => putInstance(control, clock, instance),
      find: (id) => findInstance(data, id),
    },
    bindings: {
      put: (binding) => putBinding(control, clock, binding),
      of: (instanceId) => bindingsOf(data, instanceId),
    },
    policies: { put: (policy) => putPolicy(control, clock, policy) },
    replicas: {
      provision: (replica) => provisionReplica(control, replica, allowLoopbackHttp),
      get: (id) => findReplica(data, id),
      isPeer: peerDids(data),
      list: (instanceId) => listReplicas(data, instanceId),
      remove: (id) => removeReplica(control, id),
    },
    lifecycle: { commit: commitLifecycle },
    routes: {
      assign: (requests) =>
        assignRoutes(
          {
            pool: data,
            clock,
            bindings,
            replicas,
            counters,
            place,
            wake: (instanceIds) => requestWake(data, instanceIds, clock()),
            requestRoom: allotments?.requestRoom,
            makeRoom: allotments?.makeRoom,
          },
          requests,
        ),
      plan: (request) => planRoute({ bindings, replicas, allotments }, request),
      find: (action) => findAssignment(data, action),
      mayHaveBegun: (action) => mayHaveBegun(data, action),
      journals,
      settle: async (items, client) =>
        client ? returned(await settleRoutes(client, items, clock())) : release(items, data),
      release: (items, db = data) => release(items, db),
      released: (routes) => {
        allotments?.released(routes.map(({ fenceToken }) => fenceToken));
        returned(routes);
      },
      committed: (releases) => allotments?.released(releases.map(({ fenceToken }) => fenceToken)),
    },
    catalog: { page: (query) => readCatalogPage(data, query), capability: capabilities, resources },
    ingress: { sender: senders },
    allotments,
    maintenance: {
      expire: (limit) => expireReplicas(data, clock(), limit),
      held: (beforeMs, limit, after) => heldAssignments(data, beforeMs, limit, after),
      prune: (beforeMs, removed, signal) => pruneAssignments(data, beforeMs, removed, signal),
      summary: () => readFleetSummary(data, clock()),
    },
  };
}

import type { Condition } from '@aip/controller/internal/api';
import type { KubeObject } from '@aip/controller/internal/kube';
import type { InstanceObject, ReplicaObject } from '../kube/objects.js';

/** One replica of a cluster as the CLI shows it. */
export interface ReplicaView {
  name: string;
  /** Lower case; `pending` until the controller has written one. */
  state: 'pending' | 'offline' | 'ready' | 'draining' | 'expired';
  /** `drained` when somebody wants it to take no more work. */
  desired: 'ready' | 'drained';
  pod: string | null;
  /** Label of the version that it runs; the version id where no label is known. */
  version: string;
  /** Label of the version that its instance wants; another one than `version` during a rollout. */
  wanted_version: string;
  /** `open`: gateways could not reach it several times in a row and send it no new work for a while. Null until the controller has written it. */
  circuit: 'closed' | 'open' | null;
  /** A recent action that did not reach its host or whose answer was lost. */
  last_failure: { kind: 'outcome_unknown' | 'unreached'; at: string; message: string } | null;
  /** Work that it still holds although it takes no new one, counted at `counted_at`; `removed_by` is when its Pod is ended at the latest. */
  held: { pinned_actions: number; removed_by: string | null; counted_at: string } | null;
  capacity: number;
  created_at: string | null;
  /** Why it is not ready, when the controller says so. */
  message?: string;
}

/** One of the versions that the replicas of an instance run. */
export interface VersionView {
  version_id: string;
  version: string | null;
  manifest_digest: string | null;
  replicas: number;
  ready: number;
  draining: number;
  /** Actions that its draining replicas still hold. */
  pinned_actions: number;
  /** When the last of its replicas is ended at the latest; null while one of them stays or has no deadline. */
  removed_by: string | null;
}

/** One instance of a cluster as the CLI shows it. */
export interface InstanceView {
  namespace: string;
  name: string;
  connector: string;
  version: string;
  tenant_id: string;
  hosting: 'Managed' | 'External';
  desired: number;
  ready: number;
  draining: number;
  /** Reason of its Ready condition; `Unknown` before there is one. */
  status: string;
  healthy: boolean;
  stalled: boolean;
  created_at: string | null;
  /** What a person should read: why it is refused, stalled or not ready. */
  problems: { type: string; reason: string; message: string }[];
  /** The admitted one first. */
  versions: VersionView[];
  replicas: ReplicaView[];
}

/** What the two lists of resources say, instances by namespace and name, replicas beneath theirs. */
export function instanceViews(
  instances: readonly InstanceObject[],
  replicas: readonly ReplicaObject[],
): InstanceView[] {
  const byInstance = Map.groupBy(replicas, ({ metadata, spec }) => `${metadata.namespace}/${spec.instanceRef.name}`);
  return instances
    .map((instance) => instanceView(instance, byInstance.get(keyOf(instance)) ?? []))
    .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
}

function instanceView(instance: InstanceObject, replicas: readonly ReplicaObject[]): InstanceView {
  const { metadata, spec, status } = instance;
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    connector: spec.connector.type,
    version: spec.connector.version,
    tenant_id: spec.tenantId,
    hosting: spec.hosting ?? 'Managed',
    // The user of an External instance writes its replicas.
    desired: spec.hosting === 'External' ? replicas.length : (spec.replicas ?? 1),
    ready: status?.readyReplicas ?? 0,
    draining: status?.drainingReplicas ?? 0,
    status: ready?.reason ?? 'Unknown',
    healthy: ready?.status === 'True',
    stalled: conditions.some(({ type, status: value }) => type === 'Stalled' && value === 'True'),
    created_at: metadata.creationTimestamp ?? null,
    problems: problemsOf(conditions),
    versions: (status?.versions ?? []).map((found) => ({
      version_id: found.versionId,
      version: found.version ?? null,
      manifest_digest: found.manifestDigest ?? null,
      replicas: found.replicas,
      ready: found.readyReplicas,
      draining: found.drainingReplicas,
      pinned_actions: found.pinnedActions,
      removed_by: found.removedBy ?? null,
    })),
    replicas: replicas.map((replica) => replicaView(replica, instance)).sort((a, b) => compare(a.name, b.name)),
  };
}

/** Refused, stalled, or not ready: each message once, the gravest first. */
function problemsOf(conditions: readonly Condition[]): InstanceView['problems'] {
  const grave = [
    conditions.find(({ type, status }) => type === 'Stalled' && status === 'True'),
    conditions.find(({ type, status }) => type === 'Admitted' && status === 'False'),
    conditions.find(({ type, status }) => type === 'Ready' && status !== 'True'),
  ].filter((condition) => condition !== undefined);
  return grave
    .filter(
      ({ message, reason }, index) =>
        grave.findIndex((other) => other.message === message && other.reason === reason) === index,
    )
    .map(({ type, reason, message }) => ({ type, reason, message }));
}

function replicaView({ metadata, spec, status }: ReplicaObject, instance: InstanceObject): ReplicaView {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const current = spec.versionId === undefined || spec.versionId === instance.status?.versionId;
  return {
    name: metadata.name,
    state: status?.state === undefined ? 'pending' : (status.state.toLowerCase() as ReplicaView['state']),
    desired: spec.desiredState === 'Drained' ? 'drained' : 'ready',
    pod: status?.podName ?? null,
    version: current ? instance.spec.connector.version : (status?.version ?? spec.versionId ?? ''),
    wanted_version: instance.spec.connector.version,
    circuit: status?.circuit === undefined ? null : status.circuit === 'Open' ? 'open' : 'closed',
    last_failure: lastFailure(status?.lastFailure),
    held: heldWork(status?.drain),
    capacity: spec.capacity ?? 0,
    created_at: metadata.creationTimestamp ?? null,
    ...(ready !== undefined && ready.status !== 'True' && ready.message !== '' ? { message: ready.message } : {}),
  };
}

function lastFailure(found: NonNullable<ReplicaObject['status']>['lastFailure']): ReplicaView['last_failure'] {
  if (!found) return null;
  const { reason, time, message } = found;
  return { kind: reason === 'Unreached' ? 'unreached' : 'outcome_unknown', at: time, message };
}

function heldWork(found: NonNullable<ReplicaObject['status']>['drain']): ReplicaView['held'] {
  if (!found) return null;
  const { pinnedActions, deadline, observedTime } = found;
  return { pinned_actions: pinnedActions, removed_by: deadline ?? null, counted_at: observedTime };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

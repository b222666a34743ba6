import type { ConnectorInstance, ConnectorInstanceStatus } from '../../api/connector-instance.js';
import type { ConnectorReplica, ConnectorReplicaStatus } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import type { AdmissionResult } from '../../fleet/admission.js';
import type { RegistryReplica } from '../../fleet/fleet-registry.js';
import type { ReplicaFailure } from '../../fleet/outcomes/last-failures.js';
import { type Condition, mergeConditions, type Observed, sameStatus } from '../../kube/record/conditions.js';
import type { EventRecorder } from '../../kube/record/events.js';
import type { InstanceInputs } from '../../reconcile/inputs.js';
import type { Plan } from '../../reconcile/reconcile.js';
import type { ClusterContext } from '../context.js';
import { INSTANCE_CONDITIONS, REPLICA_CONDITIONS } from '../observed/own-conditions.js';
import type { ClusterView } from '../observed/view.js';
import type { InstanceAnnotations } from './annotations.js';
import type { Failure } from './failure.js';
import { replicaDrain } from './held-work/replica-drain.js';
import { type ReplicaOfVersion, versionsOf } from './held-work/versions.js';
import { replicaReach, runningVersion } from './replica-reach.js';
import { instanceConditions, instanceStatus, type ReconcileFailure, replicaStatus } from './status.js';

/** What writing a status works with. */
export interface StatusDeps {
  view: Pick<ClusterView, 'wrote'>;
  cluster: Pick<ClusterContext, 'kube'> & Partial<Pick<ClusterContext, 'webhooks'>>;
  events: Pick<EventRecorder, 'record'>;
  clock: () => number;
}

/** Writes conditions and counts of an instance unless they are just so, and Events of what is newly wrong. */
export async function writeInstanceStatus(
  instance: ConnectorInstance,
  round: {
    plan: Plan;
    failure: ReconcileFailure | undefined;
    admission: AdmissionResult | undefined;
    marks: InstanceAnnotations;
    updates: readonly ReplicaUpdate[];
  },
  { cluster, view, events, clock }: StatusDeps,
): Promise<void> {
  const { generation } = instance.metadata;
  const before = instance.status?.conditions;
  const admission = round.admission?.ok ? round.admission.admission : undefined;
  const conditions = mergeConditions(before, instanceConditions(round.plan, round.failure), {
    generation,
    now: clock(),
  });
  const { configRevision } = round.marks;
  const { webhooks } = cluster;
  const versions = versionsOf(round.updates, admission?.versionId ?? instance.status?.versionId);
  const facts = { plan: round.plan, admission, configRevision, versions, ...(webhooks && { webhooks }) };
  const status = { ...instanceStatus(instance, facts), conditions };
  // A refusal is Stalled as well.
  const bad = new Set([round.failure?.reason, 'HostTrouble']);
  for (const condition of conditions)
    if (condition.type === 'Stalled' || (condition.type === 'Reconciling' && bad.has(condition.reason)))
      warn(instance, condition, events);
  await writeStatus(instance, status, { cluster, view });
}

/**
 * Writes that a reconcile could not even begin, as with no database: Reconciling says why, and the rest is unchanged. Throws nothing:
 * the reason itself is on its way up.
 */
export async function writeNotStarted(
  instance: ConnectorInstance,
  { reason, message, passing }: Failure,
  { cluster, view, events, clock }: StatusDeps,
): Promise<void> {
  if (passing) return;
  const { generation } = instance.metadata;
  const { conditions: before = [], ...rest } = instance.status ?? { observedGeneration: 0 };
  const said = before.filter(({ type }) => INSTANCE_CONDITIONS.includes(type) && type !== 'Reconciling');
  const observed: Observed[] = [{ type: 'Reconciling', status: 'True', reason, message }];
  if (!said.some(({ type }) => type === 'Ready')) observed.push({ type: 'Ready', status: 'Unknown', reason, message });
  const news = mergeConditions(before, observed, { generation, now: clock() });
  for (const condition of news) if (condition.type === 'Reconciling') warn(instance, condition, events);
  // The API server may be away as well.
  await writeStatus(instance, { ...rest, conditions: [...said, ...news] }, { cluster, view }).catch(() => undefined);
}

/** A Warning event of a condition, unless it existed before. */
function warn(
  instance: ConnectorInstance,
  { type, reason, message }: Observed,
  events: Pick<EventRecorder, 'record'>,
): void {
  if (instance.status?.conditions?.find((condition) => condition.type === type)?.reason === reason) return;
  events.record(instance, { type: 'Warning', reason, note: message, action: 'Reconcile' });
}

async function writeStatus(
  instance: ConnectorInstance,
  status: ConnectorInstanceStatus,
  { cluster, view }: Pick<StatusDeps, 'cluster' | 'view'>,
): Promise<void> {
  if (sameStatus(instance.status, status, INSTANCE_CONDITIONS)) return;
  const { apiVersion, kind } = instance;
  const { name, namespace } = instance.metadata;
  const metadata = { name, namespace };
  const applied = { apiVersion, kind, metadata, status } as ConnectorInstance;
  view.wrote(await cluster.kube.apply<ConnectorInstance>(KINDS.connectorInstance, applied, { status: true }));
}

/** What the status of replicas is made from. */
export interface ReplicaFacts {
  inputs: InstanceInputs;
  instance: ConnectorInstance;
  admission: AdmissionResult | undefined;
  records: readonly RegistryReplica[];
  hostFailures: ReadonlyMap<string, ReplicaFailure>;
  failures: ReadonlyMap<string, Failure>;
}

/** A replica with the status that it should have. */
export interface ReplicaUpdate extends ReplicaOfVersion {
  replica: ConnectorReplica;
  status: ConnectorReplicaStatus & { conditions: Condition[] };
}

/** The status of replicas, with what their steps (`failures`, by name) and their work (`hostFailures`, by id) failed with. Pure. */
export function replicaUpdates(
  replicas: readonly ConnectorReplica[],
  { inputs, instance, admission, records, hostFailures, failures }: ReplicaFacts,
  now: number,
): ReplicaUpdate[] {
  const admitted = admission?.ok ? admission.admission.versionId : undefined;
  const labelled = { id: admitted, label: instance.spec.connector.version };
  return replicas.flatMap((replica) => {
    const seen = inputs.replicas.find(({ name }) => name === replica.metadata.name);
    if (!seen) return [];
    const podName = seen.managed && seen.runner !== 'absent' ? replica.metadata.name : undefined;
    const id = connectorReplicaId(replica, replica.metadata.uid as string);
    const record = records.find(({ replicaId }) => replicaId === id);
    const wanted = replicaStatus(replica, seen, {
      podName,
      failure: failures.get(seen.name),
      version: runningVersion(replica, labelled),
      reach: replicaReach(replica.status, { record, failure: hostFailures.get(id), now }),
      drain: replicaDrain(replica.status?.drain, seen, now),
    });
    const { generation } = replica.metadata;
    const conditions = mergeConditions(replica.status?.conditions, wanted.conditions, { generation, now });
    return [{ replica, seen, status: { ...wanted.status, conditions } }];
  });
}

/** Writes the status of replicas where it changed. */
export async function writeReplicaStatuses(
  updates: readonly ReplicaUpdate[],
  { cluster, view }: StatusDeps,
): Promise<void> {
  for (const { replica, status } of updates) {
    if (sameStatus(replica.status, status, REPLICA_CONDITIONS)) continue;
    const { apiVersion, kind } = replica;
    const { name, namespace } = replica.metadata;
    const written = await cluster.kube.apply<ConnectorReplica>(
      KINDS.connectorReplica,
      { apiVersion, kind, metadata: { name, namespace }, status } as ConnectorReplica,
      { status: true },
    );
    view.wrote(written);
  }
}

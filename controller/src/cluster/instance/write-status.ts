import type { ConnectorInstance, ConnectorInstanceStatus } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import type { AdmissionResult } from '../../fleet/admission.js';
import type { RegistryReplica } from '../../fleet/fleet-registry.js';
import type { ReplicaFailure } from '../../fleet/outcomes/last-failures.js';
import { mergeConditions, type Observed, sameStatus } from '../../kube/record/conditions.js';
import type { EventRecorder } from '../../kube/record/events.js';
import type { InstanceInputs } from '../../reconcile/inputs.js';
import type { Plan } from '../../reconcile/reconcile.js';
import type { ClusterContext } from '../context.js';
import type { ClusterView } from '../observed/view.js';
import type { InstanceAnnotations } from './annotations.js';
import type { Failure } from './failure.js';
import { replicaReach, runningVersion } from './replica-reach.js';
import { instanceConditions, instanceStatus, type ReconcileFailure, replicaStatus } from './status.js';

/** Conditions that this controller writes; others' stay. */
const INSTANCE_CONDITIONS = ['Ready', 'Admitted', 'Bound', 'Reconciling', 'Stalled'];
const REPLICA_CONDITIONS = ['Provisioned', 'Registered', 'Ready'];

/** What telling works with. */
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
  },
  { cluster, events, clock }: StatusDeps,
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
  const facts = { plan: round.plan, admission, configRevision, ...(webhooks && { webhooks }) };
  const status = { ...instanceStatus(instance, facts), conditions };
  // A refusal is Stalled as well.
  const bad = new Set([round.failure?.reason, 'HostTrouble']);
  for (const condition of conditions)
    if (condition.type === 'Stalled' || (condition.type === 'Reconciling' && bad.has(condition.reason)))
      warn(instance, condition, events);
  await writeStatus(instance, status, cluster);
}

/**
 * Writes that a round could not even begin, as with no database: Reconciling says why, and the rest stands as it was last said. Throws nothing:
 * the reason itself is on its way up.
 */
export async function writeNotStarted(
  instance: ConnectorInstance,
  { reason, message, passing }: Failure,
  { cluster, events, clock }: StatusDeps,
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
  await writeStatus(instance, { ...rest, conditions: [...said, ...news] }, cluster).catch(() => undefined);
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
  { kube }: StatusDeps['cluster'],
): Promise<void> {
  if (sameStatus(instance.status, status, INSTANCE_CONDITIONS)) return;
  const { apiVersion, kind } = instance;
  const { name, namespace } = instance.metadata;
  const metadata = { name, namespace };
  await kube.apply(KINDS.connectorInstance, { apiVersion, kind, metadata, status } as ConnectorInstance, {
    status: true,
  });
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

/** Writes the state of replicas where it changed, with what their steps (`failures`, by name) and their work (`hostFailures`, by id) failed with. */
export async function writeReplicaStatuses(
  replicas: readonly ConnectorReplica[],
  { inputs, instance, admission, records, hostFailures, failures }: ReplicaFacts,
  { cluster, clock, view }: StatusDeps,
): Promise<void> {
  const admitted = admission?.ok ? admission.admission.versionId : undefined;
  const labelled = { id: admitted, label: instance.spec.connector.version };
  for (const replica of replicas) {
    const known = inputs.replicas.find(({ name }) => name === replica.metadata.name);
    if (!known) continue;
    const podName = known.managed && known.runner !== 'absent' ? replica.metadata.name : undefined;
    const id = connectorReplicaId(replica, replica.metadata.uid as string);
    const record = records.find(({ replicaId }) => replicaId === id);
    const wanted = replicaStatus(replica, known, {
      podName,
      failure: failures.get(known.name),
      version: runningVersion(replica, labelled),
      reach: replicaReach(replica.status, { record, failure: hostFailures.get(id), now: clock() }),
    });
    const { generation, name, namespace } = replica.metadata;
    const conditions = mergeConditions(replica.status?.conditions, wanted.conditions, { generation, now: clock() });
    const status = { ...wanted.status, conditions };
    if (sameStatus(replica.status, status, REPLICA_CONDITIONS)) continue;
    const { apiVersion, kind } = replica;
    const written = await cluster.kube.apply<ConnectorReplica>(
      KINDS.connectorReplica,
      { apiVersion, kind, metadata: { name, namespace }, status } as ConnectorReplica,
      { status: true },
    );
    view.wrote(written);
  }
}

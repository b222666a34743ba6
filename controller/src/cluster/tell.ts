import type { ConnectorInstance } from '../api/connector-instance.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import type { AdmissionResult } from '../fleet/admission.js';
import { mergeConditions, sameStatus } from '../kube/conditions.js';
import type { EventRecorder } from '../kube/events.js';
import { KINDS } from '../kube/kinds.js';
import type { InstanceInputs } from '../reconcile/inputs.js';
import type { Plan } from '../reconcile/reconcile.js';
import type { ClusterMachine } from './machine.js';
import type { InstanceMarks } from './marks.js';
import { type FailedRound, instanceConditions, instanceStatus, replicaStatus } from './status.js';
import type { ClusterView } from './view.js';

/** Conditions that this controller writes; others' stay. */
const INSTANCE_CONDITIONS = ['Ready', 'Admitted', 'Bound', 'Reconciling', 'Stalled'];
const REPLICA_CONDITIONS = ['Provisioned', 'Registered', 'Ready'];

/** What telling works with. */
export interface TellDeps {
  view: Pick<ClusterView, 'wrote'>;
  machine: Pick<ClusterMachine, 'kube'>;
  events: Pick<EventRecorder, 'record'>;
  clock: () => number;
}

/** Writes conditions and counts of an instance unless they are just so, and Events of what is newly wrong. */
export async function tellInstance(
  instance: ConnectorInstance,
  round: { plan: Plan; failure: FailedRound | undefined; admission: AdmissionResult | undefined; marks: InstanceMarks },
  { machine, events, clock }: TellDeps,
): Promise<void> {
  const { generation } = instance.metadata;
  const before = instance.status?.conditions;
  const admission = round.admission?.ok ? round.admission.admission : undefined;
  const conditions = mergeConditions(before, instanceConditions(round.plan, round.failure), {
    generation,
    now: clock(),
  });
  const { configRevision } = round.marks;
  const status = { ...instanceStatus(instance, { plan: round.plan, admission, configRevision }), conditions };
  // A refusal is Stalled as well.
  for (const { type, reason, message } of conditions) {
    const bad = type === 'Stalled' || (type === 'Reconciling' && reason === round.failure?.reason);
    if (bad && before?.find((condition) => condition.type === type)?.reason !== reason)
      events.record(instance, { type: 'Warning', reason, note: message, action: 'Reconcile' });
  }
  if (sameStatus(instance.status, status, INSTANCE_CONDITIONS)) return;
  const { name, namespace } = instance.metadata;
  const { apiVersion, kind } = instance;
  await machine.kube.apply<ConnectorInstance>(
    KINDS.connectorInstance,
    { apiVersion, kind, metadata: { name, namespace }, status } as ConnectorInstance,
    { status: true },
  );
}

/** Writes the state of replicas where it changed. */
export async function tellReplicas(
  { replicas: seen }: InstanceInputs,
  replicas: readonly ConnectorReplica[],
  { machine, clock, view }: TellDeps,
): Promise<void> {
  for (const replica of replicas) {
    const known = seen.find(({ name }) => name === replica.metadata.name);
    if (!known) continue;
    const podName = known.managed && known.runner !== 'absent' ? replica.metadata.name : undefined;
    const wanted = replicaStatus(replica, known, podName);
    const { generation, name, namespace } = replica.metadata;
    const conditions = mergeConditions(replica.status?.conditions, wanted.conditions, { generation, now: clock() });
    const status = { ...wanted.status, conditions };
    if (sameStatus(replica.status, status, REPLICA_CONDITIONS)) continue;
    const { apiVersion, kind } = replica;
    const written = await machine.kube.apply<ConnectorReplica>(
      KINDS.connectorReplica,
      { apiVersion, kind, metadata: { name, namespace }, status } as ConnectorReplica,
      { status: true },
    );
    view.wrote(written);
  }
}

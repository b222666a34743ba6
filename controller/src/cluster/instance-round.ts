import type { ConnectorInstance } from '../api/connector-instance.js';
import { connectorInstanceProblems } from '../api/connector-instance.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import { connectorInstanceId, connectorReplicaId, replicaName } from '../api/names.js';
import type { AdmissionResult } from '../fleet/admission.js';
import { mergeConditions, sameStatus } from '../kube/conditions.js';
import type { EventRecorder } from '../kube/events.js';
import { removeFinalizer } from '../kube/finalizer.js';
import { KINDS } from '../kube/kinds.js';
import type { InstanceInputs } from '../reconcile/inputs.js';
import { type Plan, reconcile } from '../reconcile/reconcile.js';
import type { Step } from '../reconcile/step.js';
import { applyStep, type ClusterMachine, surroundings } from './apply.js';
import { type Failure, failureOf } from './failure.js';
import { gather } from './gather.js';
import { type InstanceMarks, marksOf, marksPatch } from './marks.js';
import { FINALIZER } from './objects/names.js';
import { claimRefusal, type Refusal } from './refusal.js';
import { instanceConditions, instanceStatus, replicaStatus } from './status.js';
import type { ClusterView } from './view.js';

/** Conditions that this controller writes; others' stay. */
const INSTANCE_CONDITIONS = ['Ready', 'Admitted', 'Bound', 'Reconciling', 'Stalled'];
const REPLICA_CONDITIONS = ['Provisioned', 'Registered', 'Ready'];
/** Steps that are told as events; the others are inner matters of the registry. */
const TOLD = new Set(['admit-version', 'provision', 'start', 'drain', 'stop', 'remove', 'forget-instance']);

/** What a round works with. */
export interface RoundDeps {
  view: ClusterView;
  machine: ClusterMachine;
  events: EventRecorder;
  rules: { tenancy: 'annotated' | 'open'; allowImageTags: boolean };
  clock: () => number;
}

/** How a round ended: another one is due after `againMs`, if given. */
export interface RoundResult {
  againMs?: number | undefined;
}

/**
 * One round of one instance: mark, gather, decide, apply, tell. Throws the error of the step that failed, after its status was written, so
 * that the queue brings the instance back with growing pauses.
 */
export async function instanceRound(key: string, deps: RoundDeps, signal: AbortSignal): Promise<RoundResult> {
  const { view, machine } = deps;
  const found = view.instance(key);
  if (!found) {
    await removeLeftovers(view.replicasOf(key), machine);
    return {};
  }
  const { registry } = machine;
  const instanceId = connectorInstanceId(found, found.metadata.uid as string);
  const [observed, records] = await Promise.all([
    registry.observe(instanceId, undefined),
    registry.replicas(instanceId),
  ]);
  const marks = marksOf(found, observed.instance?.configRevision);
  const instance = await marked(found, marks, machine);
  if (!instance) return {};

  const refusal = refusalOf(instance, deps);
  const pods = view.podsOf(key);
  const replicas = new Map(
    view
      .replicasOf(key)
      .filter((replica) => instance.spec.hosting === 'External' || isFleets(replica))
      .map((replica) => [replica.metadata.name, replica]),
  );
  let failure: { cause: unknown; said: FailedRound } | undefined;
  const fail = (cause: unknown, step?: Step['do']): void => {
    failure ??= { cause, said: { ...failureOf(cause), step } };
  };
  let admission: AdmissionResult | undefined;
  if (!refusal && !instance.metadata.deletionTimestamp) {
    admission = await machine.descriptions
      .find(instance, (name) => pods.get(name))
      .catch((error: unknown) => {
        fail(error);
        return undefined;
      });
  }
  const admitted = admission?.ok ? admission.admission : undefined;
  const inputs = gather({
    now: deps.clock(),
    instance,
    configRevision: marks.configRevision,
    replicas: [...replicas.values()],
    pods,
    admission,
    refusal,
    registry: admitted ? await registry.observe(instanceId, admitted.versionId) : observed,
    registryReplicas: new Map(records.map((record) => [record.replicaId, record])),
    tenancy: deps.rules.tenancy,
    runtimeImage: machine.runtimeImage,
  });
  const { name } = instance.metadata;
  const plan = reconcile(inputs, (template, ordinal) => replicaName(name, template, ordinal));
  const subject = {
    instance,
    configRevision: marks.configRevision,
    admission: admitted,
    replicas,
    pods,
    registered: observed.instance,
    identified: new Set<string>(),
    wrote: (replica: ConnectorReplica) => {
      replicas.set(replica.metadata.name, replica);
      view.wrote(replica);
    },
  };
  if (inputs.desired.forced && plan.steps.length > 0)
    deps.events.record(instance, {
      type: 'Warning',
      reason: 'RemovalForced',
      note: `removes ${name} without waiting for its hosts: the deadline is past, or an annotation says so`,
      action: 'Remove',
    });
  for (const step of failure ? [] : plan.steps) {
    if (signal.aborted) return {};
    try {
      await applyStep(step, subject, machine);
      if (TOLD.has(step.do))
        deps.events.record(instance, {
          type: 'Normal',
          reason: step.reason,
          note: step.message,
          action: camelCase(step.do),
        });
    } catch (error) {
      fail(error, step.do);
      break;
    }
  }
  if (plan.steps.some((step) => step.do === 'forget-instance') && !failure) return {};
  if (instance.spec.hosting === 'Managed' && !inputs.desired.deleted && !failure) {
    await machine.descriptions.tidy(instance, pods.values()).catch((error: unknown) => fail(error));
    if (replicas.size > 0) await surroundings(instance, machine).catch((error: unknown) => fail(error));
  }
  await tellInstance(instance, { plan, failure: failure?.said, admission, marks }, deps);
  const going = new Set(plan.steps.flatMap((step) => (step.do === 'remove' ? [step.replica] : [])));
  const staying = [...replicas.values()].filter((replica) => !going.has(replica.metadata.name));
  await tellReplicas(inputs, staying, deps);
  if (failure) throw failure.cause;
  return { againMs: againMs(inputs, plan) };
}

/** A round that failed, with the step that did, if it was one. */
type FailedRound = Failure & { step?: Step['do'] | undefined };

/** Did the fleet make this replica? Documents that a user writes for a Managed instance are nobody's business. */
function isFleets({ metadata }: ConnectorReplica): boolean {
  return (metadata.ownerReferences ?? []).some(({ controller, kind }) => controller && kind === 'ConnectorInstance');
}

/** Replicas of an instance that went without its finalizer: their records go, so that nothing holds them. */
async function removeLeftovers(replicas: readonly ConnectorReplica[], machine: ClusterMachine): Promise<void> {
  for (const replica of replicas) {
    if (!replica.metadata.deletionTimestamp || !replica.metadata.finalizers?.includes(FINALIZER)) continue;
    await machine.registry.remove(connectorReplicaId(replica, replica.metadata.uid as string));
    await removeFinalizer(machine.kube, KINDS.connectorReplica, replica, FINALIZER);
  }
}

/** `admit-version` as `AdmitVersion`, as Events want it. */
function camelCase(step: string): string {
  return step.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** The instance with finalizer and configuration revision; undefined when it changed meanwhile and comes again. */
async function marked(
  instance: ConnectorInstance,
  marks: InstanceMarks,
  { kube }: ClusterMachine,
): Promise<ConnectorInstance | undefined> {
  if (instance.metadata.deletionTimestamp) return instance;
  const patch = marksPatch(instance, marks);
  if (!patch) return instance;
  const written = await kube.merge<ConnectorInstance>(KINDS.connectorInstance, instance.metadata, patch);
  return { ...instance, metadata: { ...instance.metadata, ...written.metadata } };
}

function refusalOf(instance: ConnectorInstance, { view, rules }: RoundDeps): Refusal | undefined {
  // Whether images need a digest is a claim, with a reason of its own.
  const problems = connectorInstanceProblems(instance, { allowImageTags: true });
  if (problems.length > 0)
    return {
      reason: 'InvalidSpec',
      message: problems.map(({ path, message }) => `${path} ${message}`).join('; '),
    };
  return claimRefusal(instance, view.namespace(instance.metadata.namespace)?.metadata.annotations, rules);
}

/** What only time brings about: the deadline of a rollout or a removal. Everything else is told by a change. */
function againMs({ now, desired, replicas }: InstanceInputs, plan: Plan): number | undefined {
  if (desired.deleted) return 5_000;
  const due = replicas
    .filter(({ record, retiring }) => record !== 'ready' && !retiring)
    .map(({ createdAt }) => createdAt + desired.progressDeadlineMs - now)
    .filter((ms) => ms > 0);
  const soonest = due.length > 0 ? Math.min(...due) + 1000 : undefined;
  return plan.steps.length > 0 ? Math.min(2_000, soonest ?? 2_000) : soonest;
}

async function tellInstance(
  instance: ConnectorInstance,
  round: { plan: Plan; failure: FailedRound | undefined; admission: AdmissionResult | undefined; marks: InstanceMarks },
  { machine, events, clock }: RoundDeps,
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

async function tellReplicas(
  { replicas: seen }: InstanceInputs,
  replicas: readonly ConnectorReplica[],
  { machine, clock, view }: RoundDeps,
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

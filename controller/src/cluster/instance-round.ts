import type { ConnectorInstance } from '../api/connector-instance.js';
import { connectorInstanceProblems } from '../api/connector-instance.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import { connectorInstanceId, replicaName } from '../api/names.js';
import type { AdmissionResult } from '../fleet/admission.js';
import type { EventRecorder } from '../kube/events.js';
import { KINDS } from '../kube/kinds.js';
import type { InstanceInputs } from '../reconcile/inputs.js';
import { type Plan, reconcile } from '../reconcile/reconcile.js';
import type { Step } from '../reconcile/step.js';
import { applyStep } from './apply.js';
import { failureOf } from './failure.js';
import { gather } from './gather.js';
import { madeAt, PATIENCE_MS } from './host-trouble.js';
import { isFleets, removeLeftovers } from './leftovers.js';
import type { ClusterMachine } from './machine.js';
import { type InstanceMarks, marksOf, marksPatch } from './marks.js';
import type { Pod } from './objects/host-pod.js';
import { claimRefusal, type Refusal } from './refusal.js';
import { openShared } from './shared.js';
import type { FailedRound } from './status.js';
import { surroundings } from './steps/surroundings.js';
import { tellInstance, tellNotBegun, tellReplicas } from './tell.js';
import type { ClusterView } from './view.js';

/** Steps that are told as events; the others are inner matters of the registry. */
const TOLD = new Set(['admit-version', 'provision', 'start', 'drain', 'stop', 'remove', 'forget-instance']);

/** What a round works with. */
export interface RoundDeps {
  view: ClusterView;
  machine: ClusterMachine;
  events: Pick<EventRecorder, 'record'>;
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
export async function instanceRound(key: string, given: RoundDeps, signal: AbortSignal): Promise<RoundResult> {
  const { view, machine } = given;
  const found = view.instance(key);
  if (!found) {
    await removeLeftovers(view.replicasOf(key), machine);
    return {};
  }
  // Nothing can be made there any more; the instance is deleted in its turn.
  const terminating = isTerminating(found, view);
  if (terminating && !found.metadata.deletionTimestamp) return {};
  const deps: RoundDeps = terminating ? { ...given, events: { record: () => undefined } } : given;
  const { registry } = machine;
  const instanceId = connectorInstanceId(found, found.metadata.uid as string);
  const [observed, records] = await Promise.all([
    registry.observe(instanceId, undefined),
    registry.replicas(instanceId),
  ]).catch(async (error: unknown) => {
    await tellNotBegun(found, failureOf(error), deps);
    throw error;
  });
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
    admission = await machine.descriptions.find(instance, pods).catch((error: unknown) => {
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
    shared: openShared({ instance, configRevision: marks.configRevision, admission: admitted }, machine),
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
  if (instance.spec.hosting === 'Managed' && !inputs.desired.deleted && replicas.size > 0 && !failure)
    await surroundings(instance, machine).catch((error: unknown) => fail(error));
  await tellInstance(instance, { plan, failure: failure?.said, admission, marks }, deps);
  const going = new Set(plan.steps.flatMap((step) => (step.do === 'remove' ? [step.replica] : [])));
  const staying = [...replicas.values()].filter((replica) => !going.has(replica.metadata.name));
  await tellReplicas(inputs, staying, deps);
  if (failure) throw failure.cause;
  return { againMs: againMs(inputs, plan, pods) };
}

/** Is the instance's namespace being deleted? */
function isTerminating({ metadata }: ConnectorInstance, view: ClusterView): boolean {
  return view.namespace(metadata.namespace)?.metadata.deletionTimestamp !== undefined;
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

/** What only time brings about: the deadline of a rollout or a removal, the end of patience with a Pod. Everything else is told by a change. */
function againMs(
  { now, desired, replicas }: InstanceInputs,
  plan: Plan,
  pods: ReadonlyMap<string, Pod>,
): number | undefined {
  if (desired.deleted) return 5_000;
  const due = replicas
    .filter(({ record, retiring }) => record !== 'ready' && !retiring)
    .flatMap(({ name, createdAt }) => {
      const pod = pods.get(name);
      return [createdAt + desired.progressDeadlineMs, ...(pod ? [madeAt(pod) + PATIENCE_MS] : [])];
    })
    .map((at) => at - now)
    .filter((ms) => ms > 0);
  const soonest = due.length > 0 ? Math.min(...due) + 1000 : undefined;
  return plan.steps.length > 0 ? Math.min(2_000, soonest ?? 2_000) : soonest;
}

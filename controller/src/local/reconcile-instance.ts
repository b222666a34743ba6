import { ANNOTATIONS } from '../api/group.js';
import { withShownNames } from '../api/metadata.js';
import { replicaName } from '../api/names.js';
import { instanceConditions, type ReconcileFailure } from '../cluster/instance/status.js';
import type { AdmissionResult } from '../fleet/admission.js';
import type { RegistryReplica } from '../fleet/fleet-registry.js';
import { type Condition, mergeConditions } from '../kube/record/conditions.js';
import { isFinishing } from '../reconcile/drain/finishing.js';
import type { ObservedReplica } from '../reconcile/inputs.js';
import { type Plan, reconcile } from '../reconcile/reconcile.js';
import type { Step } from '../reconcile/step.js';
import { applyStep, type LocalContext, type Others } from './apply.js';
import { localFailure } from './failure.js';
import { gather } from './gather.js';
import { withCapabilityPlace } from './module/capability-place.js';
import type { InstanceOutcome } from './state/instance-outcome.js';

/** What one reconcile of an instance is given. */
export interface ReconcileContext {
  readonly local: LocalContext;
  /** The records of all replicas. */
  readonly replicas: ReadonlyMap<string, RegistryReplica>;
  readonly admission: AdmissionResult | undefined;
  /** What the other instances are to be. */
  readonly others: Others;
  /** The instance as the last reconcile left it. */
  readonly before: InstanceOutcome | undefined;
  /** Ends the steps. */
  readonly signal: AbortSignal;
  /** Called after each step that was done, but for descriptions. */
  stepped(step: Step): void;
}

/** What a reconcile of an instance came to. */
export interface Reconciled {
  readonly entry: InstanceOutcome;
  /** Whether the next reconcile is due soon. */
  readonly isBusy: boolean;
  /** The step that failed; the steps after it were left out. */
  readonly failed: { readonly step: Step; readonly failure: ReconcileFailure } | undefined;
}

/** Gathers what is there of an instance, asks the pure core, and carries out its steps in order, until one fails. */
export async function reconcileInstance(
  key: string,
  { local, replicas, admission, others, before, signal, stepped }: ReconcileContext,
): Promise<Reconciled> {
  const gathered = await gather(key, {
    now: local.clock(),
    state: local.state,
    admission,
    registry: local.registry,
    registryReplicas: replicas,
    runner: local.runner,
    trouble: local.troubles.of,
  });
  const { namespace, name, annotations } = gathered.record.resource.metadata;
  const plan = withPlainMessages(
    reconcile(gathered.inputs, (template, ordinal) => `${namespace}/${replicaName(name, template, ordinal)}`),
    gathered.inputs.replicas,
  );
  const admitted = admission?.ok ? admission.admission : undefined;
  const failed = await applySteps(plan.steps, signal, async (step) => {
    await applyStep(step, gathered, admitted, local, others);
    if (step.do !== 'describe') stepped(step);
  });
  const failure = failed && {
    ...failed.failure,
    message: await withCapabilityPlace(failed.failure.message, annotations?.[ANNOTATIONS.module]),
  };
  const conditions = mergeConditions(before?.conditions, instanceConditions(plan, failure), {
    generation: undefined,
    now: local.clock(),
  });
  const found = gathered.inputs.replicas;
  return {
    entry: { key, plan, conditions, admission: admitted, endsAt: endsOf(found) },
    isBusy: isUnderWay(plan, conditions, found),
    failed: failed && failure && { step: failed.step, failure },
  };
}

/** The plan with replicas in its messages as people see them. */
function withPlainMessages(plan: Plan, replicas: readonly ObservedReplica[]): Plan {
  const names = new Set([
    ...replicas.map((replica) => replica.name),
    ...plan.steps.flatMap((step) => ('replica' in step ? [step.replica] : [])),
  ]);
  const plain = <T extends { message: string }>(each: T): T => ({
    ...each,
    message: withShownNames(each.message, names),
  });
  return { ...plan, steps: plan.steps.map(plain), conditions: plan.conditions.map(plain) };
}

function endsOf(replicas: readonly ObservedReplica[]): Map<string, number> {
  return new Map(
    replicas.filter(isFinishing).flatMap(({ name, endsAt }) => (endsAt === undefined ? [] : [[name, endsAt] as const])),
  );
}

/** Applies steps in order, until one fails, which is returned, or the signal aborts. */
async function applySteps(
  steps: readonly Step[],
  signal: AbortSignal,
  apply: (step: Step) => Promise<void>,
): Promise<{ readonly step: Step; readonly failure: ReconcileFailure } | undefined> {
  for (const step of steps) {
    if (signal.aborted) return undefined;
    try {
      await apply(step);
    } catch (error) {
      return { step, failure: localFailure(error, step.do) };
    }
  }
  return undefined;
}

/** Whether the next reconcile is due soon: a step was taken, the instance is not ready, or a host comes up, which the registry does not report. Pure. */
export function isUnderWay(
  { steps }: Pick<Plan, 'steps'>,
  conditions: readonly Condition[],
  replicas: readonly Pick<ObservedReplica, 'record' | 'runner' | 'retiring'>[],
): boolean {
  if (steps.some((step) => step.do !== 'describe')) return true;
  if (conditions.some(({ type }) => type === 'Stalled')) return false;
  if (conditions.some(({ type, status }) => type === 'Ready' && status !== 'True')) return true;
  return replicas.some(({ record, runner, retiring }) => runner === 'running' && record === 'offline' && !retiring);
}

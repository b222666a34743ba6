import { openWaker, pollLoop } from '@aip/runtime/internal/process';
import { ANNOTATIONS } from '../api/group.js';
import { replicaName } from '../api/names.js';
import { instanceConditions, type ReconcileFailure } from '../cluster/instance/status.js';
import type { AdmissionResult } from '../fleet/admission.js';
import { recordState } from '../fleet/record-state.js';
import { type Condition, mergeConditions } from '../kube/record/conditions.js';
import { isFinishing } from '../reconcile/drain/finishing.js';
import type { ObservedReplica } from '../reconcile/inputs.js';
import { type Plan, reconcile } from '../reconcile/reconcile.js';
import type { Step } from '../reconcile/step.js';
import { openAdmissions } from './admission.js';
import { applyStep, type LocalMachine } from './apply.js';
import { localFailure } from './failure.js';
import { gather } from './gather.js';
import { withCapabilityPlace } from './module/capability-place.js';
import type { InstanceStanding } from './state/standing.js';
import type { Store } from './state/store.js';

/** Pause between two rounds while something is under way, while an instance may be woken by an action, and while nothing is, in ms. */
const BUSY_MS = 150;
const WAKEABLE_MS = 2000;
const IDLE_MS = 5000;
/** Longest pause after rounds that failed, in ms. */
const MAX_FAILED_MS = 5000;

/** The desired-state loop of one machine. */
export interface Loop {
  /** Asks for a round soon. */
  poke(): void;
  /** The instances as the last round saw them. */
  standing(): ReadonlyMap<string, InstanceStanding>;
  /** How many rounds have ended. */
  rounds(): number;
  /** Ends after the round that runs. */
  stop(): Promise<void>;
}

/** What a loop reports. */
export interface LoopEvents {
  /** A step was done. */
  step(instance: string, step: Step): void;
  failed(instance: string, step: Step | undefined, failure: ReconcileFailure): void;
  round(standing: ReadonlyMap<string, InstanceStanding>): void;
}

/**
 * Level-based: each round gathers everything afresh, asks the pure core, and carries out its steps in order; a step that fails ends that
 * instance's round and the next one tries again. `admissions` may hold descriptions that are already under way.
 */
export function startLoop(
  machine: LocalMachine,
  store: Store,
  events: LoopEvents,
  admissions: Map<string, Promise<AdmissionResult>> = new Map(),
): Loop {
  let standing: ReadonlyMap<string, InstanceStanding> = new Map();
  let rounds = 0;
  let failures = 0;
  let failed = false;
  let busy = true;
  const stopped = new AbortController();
  const waker = openWaker();
  const admissionFor = openAdmissions(machine, admissions, waker.wake);
  let readyReplicas: string[] = [];

  const runInstance = async (
    key: string,
    replicas: ReadonlyMap<string, Awaited<ReturnType<LocalMachine['registry']['replicas']>>[number]>,
  ): Promise<{ entry: InstanceStanding; isBusy: boolean }> => {
    const admission = admissionFor(key);
    const gathered = await gather(key, {
      now: machine.clock(),
      state: machine.state,
      admission,
      registry: machine.registry,
      registryReplicas: replicas,
      runner: machine.runner,
      trouble: machine.troubles.of,
    });
    const { namespace, name } = gathered.record.resource.metadata;
    const plan = reconcile(
      gathered.inputs,
      (template, ordinal) => `${namespace}/${replicaName(name, template, ordinal)}`,
    );
    const admitted = admission?.ok ? admission.admission : undefined;
    const stuck = await applySteps(plan.steps, stopped.signal, async (step) => {
      await applyStep(step, gathered, admitted, machine);
      if (step.do !== 'describe') events.step(key, step);
    });
    let failure: ReconcileFailure | undefined;
    if (stuck) {
      failed = true;
      const module = gathered.record.resource.metadata.annotations?.[ANNOTATIONS.module];
      failure = { ...stuck.failure, message: await withCapabilityPlace(stuck.failure.message, module) };
      events.failed(key, stuck.step, failure);
    }
    const conditions = mergeConditions(standing.get(key)?.conditions, instanceConditions(plan, failure), {
      generation: undefined,
      now: machine.clock(),
    });
    return {
      entry: { key, plan, conditions, admission: admitted, endsAt: endsOf(gathered.inputs.replicas) },
      isBusy: isUnderWay(plan, conditions, gathered.inputs.replicas),
    };
  };

  /** Hosts that are not ready say why; those that are have no trouble any more. */
  const askHosts = async (): Promise<void> => {
    const ready = new Set(readyReplicas);
    await Promise.all(
      Object.entries(machine.state.replicas).map(async ([key, { replicaId, port, createdAt }]) => {
        if (ready.has(replicaId)) machine.troubles.forget(key);
        else if (port !== undefined && machine.runner.state(key) === 'running')
          await machine.troubles.ask(key, port, createdAt);
      }),
    );
  };

  const round = async (): Promise<boolean> => {
    await askHosts();
    const replicas = new Map((await machine.registry.replicas()).map((replica) => [replica.replicaId, replica]));
    readyReplicas = [...replicas.values()]
      .filter((replica) => recordState(replica, machine.clock()) === 'ready')
      .map(({ replicaId }) => replicaId);
    const ran = await Promise.all(Object.keys(machine.state.instances).map((key) => runInstance(key, replicas)));
    const found = ran.map(({ entry }) => entry);
    if (found.some(({ plan }) => plan.steps.some((step) => step.do !== 'describe'))) await store.save();
    standing = new Map(found.map((entry) => [entry.key, entry]));
    rounds += 1;
    events.round(standing);
    return ran.some(({ isBusy }) => isBusy);
  };

  /** An action wakes an instance that is scaled to zero through the registry, which reports it to nobody. */
  const idleMs = (): number => {
    const resources = Object.values(machine.state.instances).map(({ resource }) => resource);
    return resources.some(({ spec }) => spec.scaleToZero) ? WAKEABLE_MS : IDLE_MS;
  };

  const running = pollLoop(
    async () => {
      failed = false;
      busy = true;
      busy = await round();
      failures = failed ? failures + 1 : 0;
    },
    {
      signal: stopped.signal,
      everyMs: () =>
        failed ? Math.min(MAX_FAILED_MS, BUSY_MS * 2 ** Math.min(failures, 6)) : busy ? BUSY_MS : idleMs(),
      pause: (ms, signal) => {
        // What asks for a round while one fails does not shorten the pause after it.
        if (failed) waker.forget();
        return waker.pause(ms, signal);
      },
      failed: (error) => {
        failed = true;
        failures += 1;
        events.failed('', undefined, localFailure(error, undefined));
      },
    },
  );
  return {
    poke: waker.wake,
    standing: () => standing,
    rounds: () => rounds,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
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

/** Whether the next reconcile is due soon: a step was taken, the instance is not ready, or a host comes up, which the registry reports to nobody. Pure. */
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

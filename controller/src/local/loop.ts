import type { Manifest } from '@aip/runtime/internal/protocol';
import { openWaker, pollLoop } from '@aip/runtime/internal/time';
import { connectorInstanceId } from '../api/names.js';
import type { ReconcileFailure } from '../cluster/instance/status.js';
import type { AdmissionResult } from '../fleet/admission.js';
import type { RegistryReplica } from '../fleet/fleet-registry.js';
import { recordState } from '../fleet/record-state.js';
import type { Step } from '../reconcile/step.js';
import { openAdmissions } from './admission.js';
import type { LocalContext } from './apply.js';
import { localFailure } from './failure.js';
import { type Reconciled, reconcileInstance } from './reconcile-instance.js';
import type { InstanceOutcome } from './state/instance-outcome.js';
import type { Store } from './state/store.js';

/**
 * Pause between two passes while something is under way, while time or the end of work may change something, and while only what wakes the loop
 * may, in ms.
 */
const BUSY_MS = 150;
const IDLE_MS = 5000;
const REST_MS = 15_000;
/** Longest pause after passes that failed, in ms. */
const MAX_FAILED_MS = 5000;

/** The desired-state loop of one machine. */
export interface Loop {
  /** Requests a pass soon. */
  poke(): void;
  /** Describes again what could not be described; what is known of it stays until then. */
  retry(): void;
  /** The instances as the last pass saw them. */
  outcomes(): ReadonlyMap<string, InstanceOutcome>;
  /** How many passes have ended. */
  passes(): number;
  /** Ends after the pass that runs. */
  stop(): Promise<void>;
}

/** What a loop reports. */
export interface LoopEvents {
  /** A step was done. */
  step(instance: string, step: Step): void;
  failed(instance: string, step: Step | undefined, failure: ReconcileFailure): void;
  passed(outcomes: ReadonlyMap<string, InstanceOutcome>): void;
}

/**
 * Level-based: each pass reconciles every instance from what is there now; a step that fails ends the reconcile of its instance, and the next pass
 * tries again. `admissions` may hold descriptions that are already under way.
 */
export function startLoop(
  local: LocalContext,
  store: Store,
  events: LoopEvents,
  admissions: Map<string, Promise<AdmissionResult>> = new Map(),
): Loop {
  let outcomes: ReadonlyMap<string, InstanceOutcome> = new Map();
  let passes = 0;
  let failures = 0;
  let failed = false;
  let busy = true;
  const stopped = new AbortController();
  const waker = openWaker();
  const admitted = openAdmissions(local, admissions, waker.wake);
  let readyReplicas: readonly string[] = [];

  const manifestsBeside = (key: string): ReadonlyMap<string, Manifest | undefined> =>
    new Map(
      Object.entries(local.state.instances)
        .filter(([other, { deleted }]) => other !== key && !deleted)
        .map(([other, { resource, uid }]) => {
          const found = admitted.of(other);
          return [connectorInstanceId(resource, uid), found?.ok ? found.admission.manifest : undefined];
        }),
    );
  const reconcileOne = async (key: string, replicas: ReadonlyMap<string, RegistryReplica>): Promise<Reconciled> => {
    const reconciled = await reconcileInstance(key, {
      local,
      replicas,
      admission: admitted.of(key),
      others: () => manifestsBeside(key),
      before: outcomes.get(key),
      signal: stopped.signal,
      stepped: (step) => events.step(key, step),
    });
    if (reconciled.failed) {
      failed = true;
      events.failed(key, reconciled.failed.step, reconciled.failed.failure);
    }
    return reconciled;
  };

  const pass = async (): Promise<boolean> => {
    await askHosts(local, new Set(readyReplicas));
    const replicas = new Map((await local.registry.replicas()).map((replica) => [replica.replicaId, replica]));
    readyReplicas = [...replicas.values()]
      .filter((replica) => recordState(replica, local.clock()) === 'ready')
      .map(({ replicaId }) => replicaId);
    const ran = await Promise.all(Object.keys(local.state.instances).map((key) => reconcileOne(key, replicas)));
    const found = ran.map(({ entry }) => entry);
    if (found.some(({ plan }) => plan.steps.some((step) => step.do !== 'describe'))) await store.save();
    outcomes = new Map(found.map((entry) => [entry.key, entry]));
    passes += 1;
    events.passed(outcomes);
    return ran.some(({ isBusy }) => isBusy);
  };

  const running = pollLoop(
    async () => {
      failed = false;
      busy = true;
      busy = await pass();
      failures = failed ? failures + 1 : 0;
    },
    {
      signal: stopped.signal,
      everyMs: () =>
        failed ? Math.min(MAX_FAILED_MS, BUSY_MS * 2 ** Math.min(failures, 6)) : busy ? BUSY_MS : idleMs(local),
      pause: (ms, signal) => {
        // What requests a pass while one fails does not shorten the pause after it.
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
    retry: admitted.retry,
    outcomes: () => outcomes,
    passes: () => passes,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

/** Hosts that are not ready say why; those that are have no trouble any more. */
async function askHosts({ state, runner, troubles }: LocalContext, ready: ReadonlySet<string>): Promise<void> {
  await Promise.all(
    Object.entries(state.replicas).map(async ([key, { replicaId, port, createdAt }]) => {
      if (ready.has(replicaId)) troubles.forget(key);
      else if (port !== undefined && runner.state(key) === 'running') await troubles.ask(key, port, createdAt);
    }),
  );
}

/**
 * A replica that changes its state and an action that wakes an idle instance are notified; the end of the last action of what is removed or drained,
 * and the time after which an instance goes idle, are not.
 */
function idleMs({ state }: LocalContext): number {
  const instances = Object.values(state.instances);
  const replicas = Object.values(state.replicas);
  const waits =
    instances.some(({ deleted, resource }) => deleted || resource.spec.scaleToZero) ||
    replicas.some(({ retiring, cordoned }) => retiring || cordoned);
  return waits ? IDLE_MS : REST_MS;
}

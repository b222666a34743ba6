import { admit } from './admit/admit.js';
import { bind } from './bind/bind.js';
import { drain } from './drain/drain.js';
import { heal } from './heal/heal.js';
import { asNow, idle, isIdle, isWaking } from './idle/idle.js';
import type { InstanceInputs, ObservedReplica } from './inputs.js';
import { provision } from './provision/provision.js';
import { remove } from './remove/remove.js';
import { ready as isReady } from './rollout/ready.js';
import { rollout } from './rollout/rollout.js';
import type { Decision, Observation, Step } from './step.js';

/** A condition of the instance; `Reconciling` and `Stalled` are there only while true. */
export interface InstanceCondition {
  type: 'Ready' | 'Admitted' | 'Bound' | 'Reconciling' | 'Stalled';
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** What to do now, in order, and what to say about the instance. */
export interface Plan {
  steps: Step[];
  conditions: InstanceCondition[];
  counts: { replicas: number; ready: number; updated: number; draining: number };
}

/**
 * Observed and desired state in, ordered steps out. Knows nothing of processes, clusters or clocks; the same inputs always give the same
 * plan, and a plan that was carried out only in part is simply made again.
 */
export function reconcile(wanted: InstanceInputs, nameOf: (template: string, ordinal: number) => string): Plan {
  const inputs = asNow(wanted);
  const decisions: Decision[] = [];
  if (!inputs.desired.suspend) {
    const admission = admit(inputs);
    decisions.push(admission);
    if (!admission.proceed) decisions.push(heal(inputs), remove(inputs));
    else {
      // What may be called follows the version in force, so it waits for the move too.
      if (!admission.moveAwaited) decisions.push(bind(inputs));
      if (!admission.moveAwaited) decisions.push(idle(wanted));
      // What is retired frees names, quota and nodes, and must not wait for what cannot be made.
      decisions.push(drain(inputs), remove(inputs), provision(inputs, nameOf));
    }
  }
  const steps = decisions.flatMap((decision) => decision.steps);
  const observations = decisions.flatMap((decision) => (decision.observation ? [decision.observation] : []));
  return {
    steps,
    conditions: conditions(inputs, wanted.desired.replicas, observations, steps),
    counts: counts(inputs),
  };
}

function counts(inputs: InstanceInputs): Plan['counts'] {
  const { replicas } = inputs;
  const { current } = rollout(inputs);
  return {
    replicas: replicas.length,
    ready: replicas.filter(isReady).length,
    updated: current.length,
    draining: replicas.filter((replica) => replica.retiring || replica.record === 'draining').length,
  };
}

function conditions(
  inputs: InstanceInputs,
  awake: number,
  observations: Observation[],
  steps: Step[],
): InstanceCondition[] {
  const { desired } = inputs;
  const found = counts(inputs);
  const out: InstanceCondition[] = [];
  for (const { type, status, reason, message } of observations)
    if (type !== 'Progressing') out.push({ type, status, reason, message });
  const progressing = observations.find((observation) => observation.type === 'Progressing');
  const wrong = out.find((condition) => condition.status === 'False');
  const wanted = desired.hosting === 'External' ? desired.external.length : desired.replicas;
  const ready: InstanceCondition = { type: 'Ready', status: 'False', reason: 'Starting', message: '' };
  if (desired.suspend)
    Object.assign(ready, { status: 'Unknown', reason: 'Suspended', message: 'nothing is changed while suspended' });
  else if (desired.deleted) Object.assign(ready, { reason: 'Removing', message: `${found.replicas} replicas left` });
  else if (!desired.enabled) Object.assign(ready, { reason: 'Disabled', message: 'the instance takes no work' });
  else if (isIdle(inputs) && !wrong)
    Object.assign(ready, {
      status: 'True',
      reason: 'Idle',
      message: `no action needs a host; the next one starts ${awake} replicas`,
    });
  else if (found.ready >= wanted && (found.ready > 0 || !wrong))
    Object.assign(ready, {
      status: 'True',
      reason: 'ReplicasReady',
      message: `${found.ready} of ${wanted} replicas are ready`,
    });
  else if (wrong) Object.assign(ready, { reason: wrong.reason, message: wrong.message });
  else {
    const trouble = progressing?.reason === 'HostTrouble' ? progressing : undefined;
    const unreachable = inputs.replicas.filter((replica) => replica.record === 'ready' && replica.unreachable);
    const cordoned = inputs.replicas.filter((replica) => replica.cordoned);
    const starting = isWaking(inputs) ? 'Waking' : 'Starting';
    const offline = desired.hosting === 'External' ? 'HostsOffline' : starting;
    // What somebody drained is not on its way up.
    const waiting = found.ready + cordoned.length >= wanted ? 'ReplicasCordoned' : offline;
    const reason = unreachable.length > 0 ? 'HostsUnreachable' : (trouble?.reason ?? waiting);
    const names = (replicas: readonly ObservedReplica[]): string => replicas.map(({ name }) => name).join(', ');
    const reasons = [
      ...(cordoned.length > 0 ? [`drained by hand: ${names(cordoned)}`] : []),
      ...(unreachable.length > 0 ? [`gateways cannot reach ${names(unreachable)}`] : trouble ? [trouble.message] : []),
    ];
    Object.assign(ready, {
      reason,
      message: [`${found.ready} of ${wanted} replicas are ready`, ...reasons].join('; '),
    });
  }
  out.unshift(ready);
  const stalled = wrong ?? (progressing?.status === 'False' ? progressing : undefined);
  if (stalled) out.push({ type: 'Stalled', status: 'True', reason: stalled.reason, message: stalled.message });
  else if (steps.length > 0 || found.draining > 0 || progressing) {
    const message = steps[0]?.message ?? progressing?.message ?? `${found.draining} replicas drain`;
    out.push({
      type: 'Reconciling',
      status: 'True',
      reason: steps[0]?.reason ?? progressing?.reason ?? 'Draining',
      message,
    });
  }
  return out;
}

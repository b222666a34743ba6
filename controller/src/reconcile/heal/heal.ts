import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import { leastLoss } from '../rollout/rollout.js';
import type { Decision, Step } from '../step.js';

/** Starts what should run and does not. */
export function restarts(live: readonly ObservedReplica[]): Step[] {
  return live
    .filter(({ runner, cordoned }) => runner === 'absent' && !cordoned)
    .map(({ name }): Step => ({ do: 'start', replica: name, reason: 'NotRunning', message: `Starting ${name}` }));
}

/** Drains again what was asked to go and still runs. */
export function reminders({ desired, replicas }: InstanceInputs): Step[] {
  const timeoutMs = desired.forced ? 0 : desired.drainTimeoutMs;
  return replicas
    .filter(
      ({ managed, retiring, runner }) =>
        managed && retiring && (runner === 'running' || (desired.forced && runner === 'stopping')),
    )
    .map(
      ({ name }): Step => ({
        do: 'drain',
        replica: name,
        timeoutMs,
        reason: 'Retiring',
        message: `Draining ${name}: it is being removed`,
      }),
    );
}

/**
 * What there is continues while the instance, as it is written now, cannot be admitted: its replicas are what they were made as. Fewer of them,
 * or none, need no admission.
 */
export function heal(inputs: InstanceInputs): Decision {
  const { desired, replicas, registry } = inputs;
  const live = replicas.filter(({ managed, retiring, record }) => managed && !retiring && record !== 'absent');
  const wanted = desired.enabled ? desired.replicas : 0;
  const surplus = leastLoss(live).slice(0, Math.max(0, live.length - wanted));
  const steps: Step[] = [];
  const { instance } = registry;
  if (instance?.enabled && !desired.enabled && !desired.deleted)
    steps.push({
      do: 'put-instance',
      versionId: instance.versionId,
      configRevision: instance.configRevision + 1,
      enabled: false,
      reason: 'InstanceChanged',
      message: 'Disabling the instance: it takes no new work',
    });
  for (const { name, inFlight } of surplus)
    steps.push({
      do: 'drain',
      replica: name,
      timeoutMs: desired.drainTimeoutMs,
      reason: wanted === 0 ? 'ScaledToZero' : 'ScaledDown',
      message: `Draining ${name} (${inFlight} in flight): ${wanted === 0 ? 'scaled to zero' : 'scaled down'}`,
    });
  const staying = live.filter((replica) => !surplus.includes(replica));
  return { steps: [...steps, ...reminders(inputs), ...restarts(staying)], proceed: true };
}

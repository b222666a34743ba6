import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import type { Decision, Step } from '../step.js';

/** Starts what should run and does not. */
export function restarts(live: readonly ObservedReplica[]): Step[] {
  return live
    .filter(({ runner, cordoned }) => runner === 'absent' && !cordoned)
    .map(({ name }): Step => ({ do: 'start', replica: name, reason: 'NotRunning', message: `starts ${name}` }));
}

/** Drains again what was told to go and still runs. */
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

/** What there is goes on while the instance, as it is written now, cannot be admitted: its replicas are what they were made as. */
export function heal(inputs: InstanceInputs): Decision {
  const live = inputs.replicas.filter(({ managed, retiring, record }) => managed && !retiring && record !== 'absent');
  return { steps: [...restarts(live), ...reminders(inputs)], proceed: true };
}

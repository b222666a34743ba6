import { reminders } from '../heal/heal.js';
import { isIdle } from '../idle/idle.js';
import type { InstanceInputs } from '../inputs.js';
import { rollout } from '../rollout/rollout.js';
import type { Decision, Step } from '../step.js';

const WHY: Readonly<Record<string, string>> = {
  Idle: 'no action needs it',
  ScaledToZero: 'scaled to zero',
  ScaledDown: 'scaled down',
  Replaced: 'a newer replica is ready',
};

/** Which replicas have to finish what they hold and go, or wait drained for somebody who wants them back? */
export function drain(inputs: InstanceInputs): Decision {
  const { desired } = inputs;
  const timeoutMs = desired.forced ? 0 : desired.drainTimeoutMs;
  const { live, retire } = rollout(inputs);
  const why = (reason: string): string => (reason === 'ScaledToZero' && isIdle(inputs) ? 'Idle' : reason);
  const steps = retire.map(({ replica, reason: given }): Step => {
    const reason = why(given);
    return {
      do: 'drain',
      replica: replica.name,
      timeoutMs,
      reason,
      message: `Draining ${replica.name} (${replica.inFlight} in flight): ${WHY[reason] ?? reason}`,
    };
  });
  const begun = new Set(retire.map(({ replica }) => replica.name));
  steps.push(...reminders(inputs));
  for (const { name, cordoned, runner } of live)
    if (cordoned && runner === 'running' && !begun.has(name))
      steps.push({
        do: 'stop',
        replica: name,
        timeoutMs,
        reason: 'Cordoned',
        message: `Draining ${name}: desiredState is Drained`,
      });
  return { steps, proceed: true };
}

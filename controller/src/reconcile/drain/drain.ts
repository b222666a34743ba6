import type { InstanceInputs } from '../inputs.js';
import { rollout } from '../rollout/rollout.js';
import type { Decision, Step } from '../step.js';

const WHY: Readonly<Record<string, string>> = {
  ScaledToZero: 'none is wanted',
  ScaledDown: 'fewer are wanted',
  Replaced: 'a newer one is ready',
};

/** Which replicas have to finish what they hold and go? */
export function drain(inputs: InstanceInputs): Decision {
  const steps = rollout(inputs).retire.map(
    ({ replica, reason }): Step => ({
      do: 'drain',
      replica: replica.name,
      timeoutMs: inputs.desired.drainTimeoutMs,
      reason,
      message: `drains ${replica.name} (${replica.inFlight} in flight): ${WHY[reason] ?? reason}`,
    }),
  );
  return { steps, proceed: true };
}

import { shortDuration } from '@aip/runtime/internal/duration';
import type { InstanceInputs } from '../inputs.js';
import { ready } from '../rollout/ready.js';
import type { Decision, Step } from '../step.js';

/** Is the instance without hosts until an action needs it? */
export function isIdle({ desired, registry }: InstanceInputs): boolean {
  return wish(desired) !== undefined && registry.scaling?.state === 'idle';
}

/** Is it being woken, because an action waits for a host? */
export function isWaking({ desired, registry }: InstanceInputs): boolean {
  return wish(desired) !== undefined && registry.scaling?.state === 'waking';
}

/** The instance as the other decisions see it: an idle one wants no replicas for now. */
export function asNow(inputs: InstanceInputs): InstanceInputs {
  return isIdle(inputs) ? { ...inputs, desired: { ...inputs.desired, replicas: 0 } } : inputs;
}

/** Does the registry know that the instance may go without hosts, and may it go now, or has it been woken? `inputs` as they are wanted. */
export function idle(inputs: InstanceInputs): Decision {
  const { desired, registry, replicas, now } = inputs;
  const wanted = wish(desired);
  const { scaling } = registry;
  const steps: Step[] = [];
  if (scaling?.idleAfterMs !== wanted?.idleAfterMs || scaling?.wakeTimeoutMs !== wanted?.wakeTimeoutMs)
    steps.push({
      do: 'put-scaling',
      scaling: wanted,
      reason: 'ScalingChanged',
      message: wanted
        ? `the instance goes idle after ${shortDuration(wanted.idleAfterMs)} without an action`
        : 'the instance keeps its hosts',
    });
  if (steps.length > 0 || !wanted || !scaling || !desired.enabled) return { steps, proceed: true };
  const live = replicas.filter(({ managed, retiring }) => managed && !retiring);
  if (scaling.state === 'waking' && live.some(ready))
    steps.push({ do: 'end-wake', reason: 'Awake', message: 'a host is ready for the action that woke the instance' });
  const settled = live.every((replica) => ready(replica) && replica.template === desired.template);
  const unused = replicas.every(({ inFlight }) => inFlight === 0);
  if (
    scaling.state === 'awake' &&
    live.length > 0 &&
    settled &&
    unused &&
    now - scaling.activeSince >= wanted.idleAfterMs
  )
    steps.push({
      do: 'begin-idle',
      reason: 'Idle',
      message: `no action for ${shortDuration(wanted.idleAfterMs)}`,
    });
  return { steps, proceed: true };
}

function wish({ hosting, deleted, scaleToZero }: InstanceInputs['desired']): InstanceInputs['desired']['scaleToZero'] {
  return hosting === 'External' || deleted ? undefined : scaleToZero;
}

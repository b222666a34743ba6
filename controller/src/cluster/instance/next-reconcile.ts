import { isFinishing } from '../../reconcile/drain/finishing.js';
import type { InstanceInputs } from '../../reconcile/inputs.js';
import { goes } from '../../reconcile/remove/remove.js';
import { canaryOf } from '../../reconcile/rollout/canary.js';
import { deadlineOf } from '../../reconcile/rollout/ready.js';
import type { Pod } from '../objects/host-pod.js';
import { madeAt, PATIENCE_MS } from '../observed/host-trouble.js';

/** A removal is checked as often, in ms: its deadline, and hosts that an outage kept from reporting their end. */
const REMOVAL_MS = 5_000;
/** A reconcile that did something is followed by another one in this time, in ms. */
const AFTER_STEPS_MS = 2_000;
/** How often the actions of a canary are counted, in ms. */
const CANARY_MS = 5_000;
/** How often an instance that may go idle is checked once its time without an action may be over, in ms. */
const IDLE_MS = 5_000;
/** How often the work of hosts that finish it is counted, in ms. */
const FINISHING_MS = 5_000;
/** What is due at a time is looked for this much later, in ms. */
const LATER_MS = 1_000;

/**
 * Ms until another reconcile is due by time alone: the deadline of a rollout or a removal, the deadline of a Pod. Undefined when only a change
 * can bring news. Pure.
 */
export function nextReconcileMs(
  inputs: InstanceInputs,
  { hasSteps, pods }: { hasSteps: boolean; pods: ReadonlyMap<string, Pod> },
): number | undefined {
  const { now, desired, replicas } = inputs;
  if (desired.deleted) return REMOVAL_MS;
  const due = replicas
    .filter(({ record, retiring }) => record !== 'ready' && !retiring)
    .flatMap((replica) => {
      const pod = pods.get(replica.name);
      return [deadlineOf(replica, desired.progressDeadlineMs), ...(pod ? [madeAt(pod) + PATIENCE_MS] : [])];
    })
    .map((at) => at - now)
    .filter((ms) => ms > 0);
  const canary = canaryOf(inputs);
  if (canary?.state === 'open') due.push(Math.min(CANARY_MS, Math.max(0, (canary.until ?? now + CANARY_MS) - now)));
  if (replicas.some(isFinishing)) due.push(FINISHING_MS);
  // The lease of a host that runs elsewhere may begin and end between two reads of the registry.
  if (replicas.some((replica) => !replica.managed && goes(replica, desired.external, false))) due.push(REMOVAL_MS);
  const { scaling } = inputs.registry;
  if (desired.scaleToZero && scaling?.state === 'awake')
    due.push(Math.max(IDLE_MS, scaling.activeSince + scaling.idleAfterMs - now));
  const soonest = due.length > 0 ? Math.min(...due) + LATER_MS : undefined;
  return hasSteps ? Math.min(AFTER_STEPS_MS, soonest ?? AFTER_STEPS_MS) : soonest;
}

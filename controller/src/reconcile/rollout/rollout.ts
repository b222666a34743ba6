import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import { type Canary, canaryOf } from './canary.js';
import { deadlineOf, ready } from './ready.js';

/** Which replicas are made and which retire in this reconcile. */
export interface Rollout {
  /** Ordinals to make of the present template. */
  create: number[];
  /** Replicas that begin to go, in order, with the reason. */
  retire: { replica: ObservedReplica; reason: string }[];
  /** Replicas that count: managed and not on their way out. */
  live: ObservedReplica[];
  /** Those of `live` that are not retired now. */
  staying: ObservedReplica[];
  /** Those of `live` made from the present template. */
  current: ObservedReplica[];
  /** New replicas did not become ready in time; old ones, where there are any, stay. */
  stalled: boolean;
  /** The present template is tried; the others stay until it has passed. */
  canary?: Canary | undefined;
}

/**
 * Scale and replacement by surge (docs/kubernetes/reference.md): new replicas are made while at most `maxSurge` too many are there; an old one goes only when
 * enough others are ready. So a template that never becomes ready stops the rollout with all old replicas serving.
 */
export function rollout(inputs: InstanceInputs): Rollout {
  const { desired, replicas, now } = inputs;
  const managed = replicas.filter((replica) => replica.managed);
  const live = managed.filter((replica) => !replica.retiring);
  const current = live.filter((replica) => replica.template === desired.template);
  const old = live.filter((replica) => replica.template !== desired.template);
  const wanted = desired.deleted || !desired.enabled ? 0 : desired.replicas;

  if (desired.paused && old.length > 0) return held(live, current, wanted);
  const canary = canaryOf(inputs);
  const isTried = canary !== undefined && canary.state !== 'passed';
  // Replicas of another template cannot be made any more: a scale-up meanwhile is of the present one.
  const most = isTried ? Math.max(canary.replicas, wanted - old.length) : wanted;
  const missing = Math.max(0, most - current.length);
  const room = old.length === 0 ? missing : Math.max(0, wanted + desired.maxSurge - live.length);
  const taken = new Set(
    managed.filter((replica) => replica.template === desired.template).map((replica) => replica.ordinal),
  );
  const create: number[] = [];
  for (let ordinal = 0; create.length < Math.min(missing, room); ordinal += 1)
    if (!taken.has(ordinal)) create.push(ordinal);

  const retire: Rollout['retire'] = [];
  const surplus = Math.max(0, current.length - wanted);
  for (const replica of leastLoss(current).slice(0, surplus))
    retire.push({ replica, reason: wanted === 0 ? 'ScaledToZero' : 'ScaledDown' });

  const kept = isTried ? Math.max(1, wanted - canary.replicas) : 0;
  let spareOld = old.length - kept;
  const least = wanted - desired.maxUnavailable;
  const newNotReady = current.filter((replica) => !ready(replica)).length;
  let spare = live.length - least - newNotReady;
  let spareReady = live.filter(ready).length - least;
  for (const replica of leastLoss(old)) {
    if (wanted > 0) {
      if (spareOld <= 0) break;
      if (ready(replica)) {
        if (spareReady <= 0) continue;
        spareReady -= 1;
      } else if (spare <= 0) continue;
      spare -= 1;
      spareOld -= 1;
    }
    retire.push({ replica, reason: wanted === 0 ? 'ScaledToZero' : 'Replaced' });
  }
  const stalled = current.some(
    (replica) =>
      !ready(replica) &&
      !replica.cordoned &&
      (old.length > 0 || replica.neverReady === true) &&
      now > deadlineOf(replica, desired.progressDeadlineMs),
  );
  const retired = new Set(retire.map(({ replica }) => replica));
  const staying = live.filter((replica) => !retired.has(replica));
  return { create, retire, live, staying, current, stalled, canary };
}

/** A paused rollout: nothing is made or replaced, only what is too many is retired. */
function held(live: ObservedReplica[], current: ObservedReplica[], wanted: number): Rollout {
  const surplus = leastLoss(live).slice(0, Math.max(0, live.length - wanted));
  const reason = wanted === 0 ? 'ScaledToZero' : 'ScaledDown';
  const retired = new Set(surplus);
  return {
    create: [],
    retire: surplus.map((replica) => ({ replica, reason })),
    live,
    staying: live.filter((replica) => !retired.has(replica)),
    current,
    stalled: false,
  };
}

/** Which replica is replaced first: not ready, then fewest actions in flight, then the highest ordinal (docs/kubernetes/reference.md). */
export function leastLoss(replicas: readonly ObservedReplica[]): ObservedReplica[] {
  return [...replicas].sort(
    (a, b) => Number(ready(a)) - Number(ready(b)) || a.inFlight - b.inFlight || b.ordinal - a.ordinal,
  );
}

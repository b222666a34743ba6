import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import { ready } from './ready.js';

/** A new template that is tried beside the others. */
export interface Canary {
  /** Replicas that the new template has meanwhile. */
  replicas: number;
  /** `open`: it is tried. `passed`: it may replace the others. `failed`: it may not. */
  state: 'open' | 'passed' | 'failed';
  /** Why it failed. */
  message: string;
  /** When it will have been tried long enough, in ms since the epoch; undefined while not all of it is ready. */
  until?: number | undefined;
}

/**
 * Whether the wanted template is being tried, and with what success. Undefined where there is nothing to compare it with: no replicas of another
 * template, none wanted, or no room for one of each.
 */
export function canaryOf({ desired, replicas, now, canaryOutcome }: InstanceInputs): Canary | undefined {
  const { canary, template } = desired;
  const wanted = desired.deleted || !desired.enabled ? 0 : desired.replicas;
  if (!canary || desired.hosting === 'External' || wanted + desired.maxSurge < 2 || wanted === 0) return undefined;
  const live = replicas.filter((replica) => replica.managed && !replica.retiring);
  const current = live.filter((replica) => replica.template === template);
  if (current.length === live.length) return undefined;
  const count = Math.max(1, Math.floor((wanted * canary.percent) / 100));
  const until = triedUntil(current, count, canary.durationMs);
  const { finished = 0, failed = 0 } = canaryOutcome ?? {};
  const isOver = until !== undefined && now >= until;
  const failing = failed * 100 > canary.maxFailurePercent * finished;
  const judged = isOver || finished >= Math.max(1, canary.minActions);
  const state = judged && failing ? 'failed' : isOver ? 'passed' : 'open';
  const message = `${failed} of ${finished} actions failed on hosts of the new version, more than ${canary.maxFailurePercent} percent`;
  return { replicas: count, state, message, until };
}

function triedUntil(current: readonly ObservedReplica[], count: number, durationMs: number): number | undefined {
  if (current.length < count || !current.every(ready)) return undefined;
  const since = current.map(({ readySince }) => readySince);
  return since.includes(undefined) ? undefined : Math.max(...(since as number[])) + durationMs;
}

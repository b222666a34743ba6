import type { TrustObservation } from '../../trust/decide/step.js';

/** Returns the observations of a pass that were not reported before; a partial pass says nothing about what it does not mention. */
export type TrustChanges = (observations: readonly TrustObservation[], isWhole: boolean) => TrustObservation[];

/** Remembers what was reported, so that a log has each state of the trust once, however many things are wrong with one object at a time. */
export function openTrustChanges(): TrustChanges {
  let told = new Set<string>();
  return (observations, isWhole) => {
    const fresh = observations.filter((observation) => !told.has(keyOf(observation)));
    told = new Set([...(isWhole ? [] : told), ...observations.map(keyOf)]);
    return fresh;
  };
}

function keyOf({ object, reason, message }: TrustObservation): string {
  return JSON.stringify([object, reason, message]);
}

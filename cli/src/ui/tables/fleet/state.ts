/** The state of a replica for people: one that somebody drained stays away until it is resumed. */
export function stateText({ state, desired }: { state: string; desired: 'ready' | 'drained' }): string {
  return desired === 'drained' && state !== 'draining' ? `${state} (cordoned)` : state;
}

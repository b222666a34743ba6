/** Numbers that look random and are the same for the same seed. */
export interface Chance {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(values: readonly T[]): T;
  shuffled<T>(values: readonly T[]): T[];
}

/** The chance of a seed (a whole number below 2^32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    pick: (values) => values[between(0, values.length - 1)] as (typeof values)[number],
    shuffled: (values) => {
      const list = [...values];
      for (let at = list.length - 1; at > 0; at -= 1) {
        const other = between(0, at);
        [list[at], list[other]] = [list[other] as (typeof list)[number], list[at] as (typeof list)[number]];
      }
      return list;
    },
  };
}

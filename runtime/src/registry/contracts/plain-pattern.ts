/** A character of a text or a class of them, and how often it is repeated: exactly so often, or as often as it may be. */
const STEP =
  /(?:\\[dDwWsS]|\\u[\da-fA-F]{4}|\\\W|\[(?:[^\\\]]|\\.)*\]|[^\\^$*+?()[\]{}|])(?:\{(\d+)\}|([*+?]|\{\d+,\d*\}))?/gy;

/**
 * How many steps a match takes at most for each character of a text; undefined where the length of the pattern does not bound that, as with
 * groups, alternatives, references, and more than one repeat.
 */
export function patternWeight(pattern: string): number | undefined {
  const anchored = pattern.startsWith('^');
  const body = pattern.slice(anchored ? 1 : 0, pattern.endsWith('$') ? -1 : undefined);
  let read = 0;
  let weight = 0;
  let open = 0;
  for (const [step, times = '1', repeat] of body.matchAll(STEP)) {
    read += step.length;
    weight += Math.max(1, Number(times));
    if (repeat !== undefined) open += 1;
  }
  if (read < body.length) return undefined;
  // From one place alone a repeat is tried at each length once; from every place it would be so often for each of them.
  return open === 0 || (open === 1 && anchored) ? weight : undefined;
}

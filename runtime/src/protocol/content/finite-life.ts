import { toNumber } from '../json.js';

/** Years of 365 days. */
const LONGEST_YEARS = 1000;
const LONGEST_MS = LONGEST_YEARS * 365 * 86_400_000;

/**
 * A life in milliseconds, as manifests and callers name it; undefined for none, and for one of over 1,000 years, which has no end: its end may be no
 * time that can be written or stored.
 */
export function finiteLife(ms: number | undefined): number | undefined {
  if (ms === undefined) return undefined;
  const life = toNumber(ms);
  return life <= LONGEST_MS ? life : undefined;
}

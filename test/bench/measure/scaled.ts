/** The share of its full size at which a bench runs: a test that runs a command as printed sets a smaller one. */
const SCALE = Number(process.env.AIP_BENCH_SCALE ?? 1);

/** A number of seconds, rows, runs or milliseconds at the scale of this run (AIP_BENCH_SCALE), at least 1. */
export function scaled(size: number): number {
  return SCALE === 1 ? size : Math.max(1, Math.round(size * SCALE));
}

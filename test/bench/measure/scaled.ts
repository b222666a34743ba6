/** How large a bench is beside what it is asked for: a test that runs a command as printed makes it smaller. */
const SCALE = Number(process.env.AIP_BENCH_SCALE ?? 1);

/** A number of seconds, rows, runs or milliseconds at the scale of this run (AIP_BENCH_SCALE), at least 1. */
export function scaled(size: number): number {
  return SCALE === 1 ? size : Math.max(1, Math.round(size * SCALE));
}

/** The value below which `percent` of the values lie (nearest rank, floor). */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(((sorted.length - 1) * percent) / 100)] ?? 0;
}

/** A duration for people in at most two units: `850ms`, `4.2s`, `3m20s`, `2h5m`, `3d4h`. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${Number((ms / 1000).toFixed(1))}s`;
  const seconds = Math.round(ms / 1000);
  const [first, second] = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3600) % 24],
    ['m', Math.floor(seconds / 60) % 60],
    ['s', seconds % 60],
  ].reduce<[string, number][]>((kept, [unit, count]) => {
    if (kept.length > 0 ? kept.length < 2 : count !== 0) kept.push([unit as string, count as number]);
    return kept;
  }, []);
  return `${first?.[1] ?? 0}${first?.[0] ?? 's'}${second && second[1] > 0 ? `${second[1]}${second[0]}` : ''}`;
}

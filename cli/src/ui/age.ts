/** How long ago `at` (RFC 3339) was, as kubectl writes it: `42s`, `7m`, `3h`, `12d`, `2y`; `–` when it is not known. */
export function age(at: string | null | undefined, now: number): string {
  const then = at ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(then)) return '–';
  const seconds = Math.max(0, Math.floor((now - then) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  const days = Math.floor(seconds / 86_400);
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

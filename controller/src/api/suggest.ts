/** Words that cost this much more than the best one are no suggestion beside it. */
const BESIDE_BEST = 1;

/** The known words that are most like a mistyped one, the best first; none when nothing is close. */
export function similar(word: string, known: Iterable<string>, most = 3): string[] {
  const wanted = word.toLowerCase();
  const close = [...new Set(known)]
    .map((candidate) => ({ candidate, cost: costOf(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, cost }) => cost <= Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3)))
    .sort((a, b) => a.cost - b.cost || (a.candidate < b.candidate ? -1 : 1));
  const best = close[0]?.cost ?? 0;
  return close
    .filter(({ cost }) => cost <= best + BESIDE_BEST)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** `Did you mean a, b or c?`; undefined without words. */
export function didYouMean(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const last = words.at(-1);
  return `Did you mean ${words.length === 1 ? last : `${words.slice(0, -1).join(', ')} or ${last}`}?`;
}

/** Letters to insert, delete, replace or swap; what merely begins with the word costs one. */
function costOf(a: string, b: string): number {
  if (a.length >= 3 && b.startsWith(a)) return 1;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (rows[i - 1]?.[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? b.length;
}

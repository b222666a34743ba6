import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What each test file proved when it last ran, by its path in the repository; merged into test-results/files.json by every run. */
export type FileRecords = Record<string, string[]>;

/** What one test run proved; written to test-results/run.json. */
export interface RunRecord {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, in the order of the run: file, title and the first line of each error. */
  failures: string[];
  /** Requirement ids that lead the title of a passing test, sorted. */
  proved: string[];
}

/** Every requirement id of test/requirements, by list (1-fleet, 2-native, 3-providers), in the contract's order. */
export function requirementIds(): Map<string, string[]> {
  const folder = join(import.meta.dirname, '..', '..', 'requirements');
  const lists = new Map<string, string[]>();
  for (const file of readdirSync(folder).sort()) {
    const rows = readFileSync(join(folder, file), 'utf8').matchAll(/^\| ([FNP]-\d{3}) \|/gm);
    lists.set(
      file.replace('.md', ''),
      [...rows].map((row) => row[1] as string),
    );
  }
  return lists;
}

/**
 * The ids at the head of a test's title ("F-143 F-144 refuses …"): only those count as proved by it. A title that continues with "part" shows a
 * part of their sentences and proves none.
 */
export function idsOfTitle(title: string): string[] {
  const head = /^(?:[FNPD]-\d{2,3}[\s,]*)+/.exec(title)?.[0] ?? '';
  if (/^\(?part\b/.test(title.slice(head.length))) return [];
  return head.match(/[FNP]-\d{3}/g) ?? [];
}

/** The records of former runs with those of a new one in their place; files that are gone are left out. */
export function mergeRecords(before: FileRecords, now: FileRecords, root: string): FileRecords {
  const all = Object.entries({ ...before, ...now }).filter(([path]) => existsSync(join(root, path)));
  return Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b)));
}

/** One line a list: how many ids have a passing test; with `listMissing` also the ids that have none yet. */
export function requirementsSummary(proved: readonly string[], listMissing: boolean): string {
  const passed = new Set(proved);
  const lines: string[] = [];
  for (const [list, ids] of requirementIds()) {
    const missing = ids.filter((id) => !passed.has(id));
    lines.push(
      `requirements ${list}: ${ids.length - missing.length} of ${ids.length} have a passing test, ${missing.length} have none yet`,
    );
    if (listMissing && missing.length > 0) lines.push(`  none yet: ${ranges(missing).join(' ')}`);
  }
  return lines.join('\n');
}

/** Neighbouring ids drawn together: N-001 N-002 N-003 becomes N-001..N-003. */
function ranges(ids: readonly string[]): string[] {
  const runs: [string, string][] = [];
  for (const id of ids) {
    const last = runs.at(-1);
    if (last && Number(id.slice(2)) === Number(last[1].slice(2)) + 1) last[1] = id;
    else runs.push([id, id]);
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}..${last}`));
}

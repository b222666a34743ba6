import { createHash } from 'node:crypto';
import type { Mutation } from './read.ts';

export type Outcome = 'killed' | 'SURVIVED' | 'NO BUILD' | 'NO TEST' | 'NO FIT' | 'NOT RUN';

/** What the tests of one fault made of it. */
export interface Judgement {
  readonly outcome: Outcome;
  readonly commit: string;
  readonly seconds: number;
  /** The test that failed and the first line of its message. */
  readonly by?: string;
}

/** The test file that failed with a fault, and the full name of its test; missing when the file failed outside its tests. */
export interface Noticed {
  readonly file: string;
  readonly test?: string;
}

/** What noticed a fault, and on which texts. */
export interface Kill extends Noticed {
  /** Of the fault, its source file and its tests: see digestOf. */
  readonly digest: string;
}

/** Kills by the description of their fault. */
export type Kills = Readonly<Record<string, Kill>>;

/** The fault with the texts that its kill rests on. Tests that only moved to another folder give the same digest. */
export function digestOf({ what, from, to, tests }: Mutation, source: string, read: (test: string) => string): string {
  const texts = tests.map((test) => read(test).replace(/(?:\.\.\/)+/g, '../'));
  return createHash('sha256')
    .update(JSON.stringify([what, from, to, source, ...texts]))
    .digest('hex')
    .slice(0, 16);
}

/** Whether an earlier run killed the fault on the same texts. */
export function isKilled(what: string, digest: string, kills: ReadonlyMap<string, Kill>): boolean {
  return kills.get(what)?.digest === digest;
}

/** The text with the fault in it; undefined unless the fault fits exactly once. */
export function plantedIn(text: string, { from, to }: Pick<Mutation, 'from' | 'to'>): string | undefined {
  return text.split(from).length === 2 ? text.replace(from, () => to) : undefined;
}

/** The faults in groups of at most one for each file, so that one build compiles all faults of a group. */
export function groupsForBuild<T extends Pick<Mutation, 'file'>>(faults: readonly T[]): T[][] {
  const groups: T[][] = [];
  const counts = new Map<string, number>();
  for (const fault of faults) {
    const at = counts.get(fault.file) ?? 0;
    counts.set(fault.file, at + 1);
    groups[at] = [...(groups[at] ?? []), fault];
  }
  return groups;
}

/** Those that took the least time in an earlier run come first, new ones before all; `seconds` by description. */
export function cheapestFirst<T extends Pick<Mutation, 'what'>>(
  faults: readonly T[],
  seconds: ReadonlyMap<string, number>,
): T[] {
  const cost = ({ what }: T): number => seconds.get(what) ?? 0;
  return [...faults].sort((a, b) => cost(a) - cost(b));
}

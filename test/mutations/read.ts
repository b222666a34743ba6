import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingFaults } from './settings.ts';

/** A fault: a text of a source file, which occurs there once, and what is put in its place. */
export interface Mutation {
  readonly what: string;
  /** What it has in `to` and other faults of one form have not: the compiler is given one of them. */
  readonly name?: string;
  /** The variable that a setting fault ignores, without its prefix. */
  readonly variable?: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Test files of which one must fail. */
  readonly tests: readonly string[];
}

/** The faults of all lists in this folder and those below it, and those of the settings. */
export function mutations(): Mutation[] {
  const lists = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.json') && !name.startsWith('generated'),
  );
  const listed = lists
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as Mutation[])
    .map((fault) => ({ ...fault, ...variableOf(fault.what) }));
  return [...listed, ...settingFaults(listed)];
}

/** Of a listed fault that loses the value of a setting. */
function variableOf(what: string): Pick<Mutation, 'variable'> {
  const variable = /^setting ignored: ([A-Z_]+)/.exec(what)?.[1];
  return variable === undefined ? {} : { variable };
}

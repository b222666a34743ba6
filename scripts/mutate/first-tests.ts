import type { Noticed } from '../../test/mutations/plan.ts';
import type { Mutation } from '../../test/mutations/read.ts';

/**
 * Names of the tests of a file that are run before the whole file: the one that noticed the fault in an earlier run, or those that name the
 * variable that it ignores. None when the whole file has to be run.
 */
export function firstTests(
  { variable }: Pick<Mutation, 'variable'>,
  file: string,
  text: string,
  noticed: Noticed | undefined,
): string[] {
  if (noticed?.file === file && noticed.test !== undefined) return [noticed.test];
  return variable === undefined ? [] : testsThatName(variable, text);
}

/** Titles of the tests outside any group whose text has the variable, with or without its prefix. */
function testsThatName(variable: string, text: string): string[] {
  const named = new RegExp(`(?<![A-Z_])(?:AIP_[A-Z_]+_)?${variable}(?![A-Z_])`);
  return text
    .split(/^(?=\S)/m)
    .filter((statement) => named.test(statement))
    .flatMap((statement) => /^test\(\s*'([^'\\]+)'/.exec(statement)?.[1] ?? []);
}

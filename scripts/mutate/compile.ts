import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupsForBuild, plantedIn } from '../../test/mutations/plan.ts';
import type { Mutation } from '../../test/mutations/read.ts';

/** Where the compiler writes a source file of a workspace. */
export function builtPath(file: string): string {
  return file.replace('/src/', '/dist/').replace(/\.tsx?$/, '.js');
}

/**
 * What the compiler makes of the file of each fault, by the description of the fault; a fault that does not compile is missing. One build
 * serves one fault of every file. Leaves the copy built without any fault.
 */
export async function compileFaults(
  copy: string,
  faults: readonly Mutation[],
  build: () => Promise<boolean>,
): Promise<ReadonlyMap<string, string>> {
  const compiled = new Map<string, string>();

  async function compileTogether(group: readonly Mutation[]): Promise<void> {
    const texts = group.map(({ file }) => readFileSync(join(copy, file), 'utf8'));
    let built = false;
    try {
      for (const [at, fault] of group.entries())
        writeFileSync(join(copy, fault.file), plantedIn(texts[at] as string, fault) as string);
      built = await build();
      if (built)
        for (const { what, file } of group) compiled.set(what, readFileSync(join(copy, builtPath(file)), 'utf8'));
    } finally {
      for (const [at, { file }] of group.entries()) writeFileSync(join(copy, file), texts[at] as string);
    }
    if (built || group.length === 1) return;
    const half = Math.ceil(group.length / 2);
    await compileTogether(group.slice(0, half));
    await compileTogether(group.slice(half));
  }

  for (const group of groupsForBuild(faults)) await compileTogether(group);
  if (!(await build())) throw new Error('it does not build without any fault');
  return compiled;
}

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { groupsForBuild, plantedIn } from '../../test/mutations/plan.ts';
import type { Mutation } from '../../test/mutations/read.ts';

/** Where the compiler writes a source file of a workspace. */
export function builtPath(file: string): string {
  return file.replace('/src/', '/dist/').replace(/\.tsx?$/, '.js');
}

/** Builds a copy. Resolves to the text of what the compiler refuses; undefined when it refuses nothing. */
export type Build = () => Promise<string | undefined>;

/** What is the same in faults that differ in their names alone; of a fault without a name all of it. */
function formOf({ what, file, from, to, name }: Mutation): string {
  return name === undefined ? what : JSON.stringify([file, from, to.replaceAll(name, '')]);
}

/**
 * What the compiler makes of the file of each fault, by the description of the fault; a fault that does not compile is missing. One build
 * serves all faults that leave the types of their file as they are, further ones one fault of every file each, and one fault those of its form.
 * Leaves the copy built without any fault.
 */
export async function compileFaults(
  copy: string,
  faults: readonly Mutation[],
  build: Build,
): Promise<ReadonlyMap<string, string>> {
  const compiled = new Map<string, string>();

  async function compileTogether(group: readonly Mutation[]): Promise<void> {
    const texts = group.map(({ file }) => readFileSync(join(copy, file), 'utf8'));
    let refused: string | undefined;
    try {
      for (const [at, fault] of group.entries())
        writeFileSync(join(copy, fault.file), plantedIn(texts[at] as string, fault) as string);
      refused = await build();
      if (refused === undefined)
        for (const { what, file } of group) compiled.set(what, readFileSync(join(copy, builtPath(file)), 'utf8'));
    } finally {
      for (const [at, { file }] of group.entries()) writeFileSync(join(copy, file), texts[at] as string);
    }
    if (refused === undefined || group.length === 1) return;
    for (const part of withoutSuspects(group, refused)) await compileTogether(part);
  }

  const firsts = new Map<string, Mutation>();
  for (const fault of faults) if (!firsts.has(formOf(fault))) firsts.set(formOf(fault), fault);
  const beside = await compileBeside(copy, [...firsts.values()], build);
  for (const [{ what }, text] of beside) compiled.set(what, text);
  const others = [...firsts.values()].filter((fault) => !beside.has(fault));
  for (const group of groupsForBuild(others)) await compileTogether(group);
  for (const fault of faults) {
    const first = firsts.get(formOf(fault)) as Mutation;
    const text = compiled.get(first.what);
    if (text !== undefined && first !== fault)
      compiled.set(
        fault.what,
        text.replaceAll(first.name as string, () => fault.name as string),
      );
  }
  const refused = await build();
  if (refused !== undefined) throw new Error(`it does not build without any fault: ${refused}`);
  return compiled;
}

/** Compiles each fault in a file of its own beside its source. Without those that do not compile or change the types that others see. */
async function compileBeside(
  copy: string,
  faults: readonly Mutation[],
  build: Build,
): Promise<ReadonlyMap<Mutation, string>> {
  const variants = faults.map((fault, index) => {
    const file = fault.file.replace(/(?=\.tsx?$)/, `.fault-${index}`);
    return { fault, file, built: join(copy, builtPath(file)) };
  });
  const compiled = new Map<Mutation, string>();
  try {
    for (const { fault, file } of variants)
      writeFileSync(join(copy, file), plantedIn(readFileSync(join(copy, fault.file), 'utf8'), fault) as string);
    const refused = (await build()) ?? '';
    for (const { fault, file, built } of variants) {
      if (refused.includes(`${file}(`) || !existsSync(built)) continue;
      const whole = join(copy, builtPath(fault.file));
      if (typesBeside(built) !== typesBeside(whole)) continue;
      compiled.set(fault, readFileSync(built, 'utf8').replaceAll(basename(built), basename(whole)));
    }
  } finally {
    for (const { file, built } of variants)
      for (const path of [join(copy, file), built, `${built}.map`, typesPath(built)]) rmSync(path, { force: true });
  }
  return compiled;
}

const typesPath = (built: string): string => built.replace(/\.js$/, '.d.ts');
const typesBeside = (built: string): string => readFileSync(typesPath(built), 'utf8');

/** A group that does not build in smaller ones: each fault whose file the compiler names alone, or halves where it names none. */
function withoutSuspects(group: readonly Mutation[], refused: string): (readonly Mutation[])[] {
  const suspects = group.filter(({ file }) => refused.includes(`${file}(`));
  const half = Math.ceil(group.length / 2);
  if (suspects.length === 0 || suspects.length > half) return [group.slice(0, half), group.slice(half)];
  return [group.filter((fault) => !suspects.includes(fault)), ...suspects.map((fault) => [fault])];
}

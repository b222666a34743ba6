import { readFileSync, statSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandClass } from '../../cli/src/command.ts';
import type { CliManifest, CommandEntry } from '../../cli/src/program/manifest.ts';

const CLI = resolve(import.meta.dirname, '..', '..', 'cli');
/** The list of commands that the build writes. */
export const MANIFEST = join(CLI, 'commands.json');

/** Modification time in ms; 0 when there is no such file. */
const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Writes down every command with its flags, so that `aip` loads the module of the one that is called instead of all. Nothing when it is up to date. */
export async function writeCliManifest(): Promise<void> {
  const compiled = await readdir(join(CLI, 'dist'), { recursive: true });
  const files = [join(CLI, 'package.json'), ...compiled.map((name) => join(CLI, 'dist', name))];
  if (changedAt(MANIFEST) > Math.max(...files.map(changedAt))) return;
  const { version } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CLI, 'dist', 'commands');
  const modules = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js')).sort();
  const entries = await Promise.all(modules.map((module) => entryOf(folder, module)));
  const manifest: CliManifest = { version, commands: Object.fromEntries(entries.map((entry) => [entry.id, entry])) };
  await writeFile(MANIFEST, `${JSON.stringify(manifest)}\n`);
}

/** The path is the command; `index` is the command of its folder. */
async function entryOf(folder: string, module: string): Promise<CommandEntry> {
  const { default: command } = (await import(pathToFileURL(join(folder, module)).href)) as { default: CommandClass };
  const named = <T extends object>(set: Record<string, T>): Record<string, T & { name: string }> =>
    Object.fromEntries(Object.entries(set).map(([name, entry]) => [name, { ...entry, name }]));
  return {
    id: module.replace(/(\/index)?\.js$/, '').replaceAll('/', ':'),
    module,
    summary: command.summary,
    ...(command.description === undefined ? {} : { description: command.description }),
    examples: [...command.examples],
    args: named(command.args),
    flags: named(command.flags),
  };
}

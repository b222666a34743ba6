import { statSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Plugin } from '@oclif/core';

const CLI = resolve(import.meta.dirname, '..', '..', 'cli');
const MANIFEST = join(CLI, 'oclif.manifest.json');

/** Modification time in ms; 0 when there is no such file. */
const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Writes down every command with its flags, so that `aip` loads the module of the one that is called instead of all. Nothing when it is up to date. */
export async function writeCliManifest(): Promise<void> {
  const compiled = await readdir(join(CLI, 'dist'), { recursive: true });
  const files = [join(CLI, 'package.json'), ...compiled.map((name) => join(CLI, 'dist', name))];
  if (changedAt(MANIFEST) > Math.max(...files.map(changedAt))) return;
  const plugin = new Plugin({
    root: CLI,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  await writeFile(MANIFEST, `${JSON.stringify(plugin.manifest, null, 2)}\n`);
}

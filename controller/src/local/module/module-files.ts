import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';

/** What a connector module consists of: its own files, without packages, and a digest over all their contents. */
export interface ModuleFiles {
  /** Absolute paths, the module itself first; one that is not there yet is among them. */
  files: readonly string[];
  digest: string;
}

/** Files of one module at most; more are taken as they are named, without their own imports. */
const MOST_FILES = 500;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const ENDINGS = ['', '.js', '.ts', '.mjs', '.mts', '.json', '/index.js', '/index.ts'];

/** Reads a module and what it imports by relative paths. A file that cannot be read counts as empty: saving it changes the digest. */
export async function moduleFiles(module: string): Promise<ModuleFiles> {
  const start = await realpath(module).catch(() => resolve(module));
  const contents = new Map<string, string>();
  const waiting = [start];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (contents.has(file)) continue;
    const text = await readFile(file, 'utf8').catch(() => '');
    contents.set(file, text);
    if (contents.size >= MOST_FILES || extname(file) === '.json') continue;
    for (const [, , specifier = ''] of text.matchAll(IMPORT))
      waiting.push(await existing(resolve(dirname(file), specifier)));
  }
  const hash = createHash('sha256');
  for (const [file, text] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${file}\0${text}\0`);
  return { files: [...contents.keys()], digest: `sha256:${hash.digest('hex')}` };
}

async function existing(path: string): Promise<string> {
  for (const ending of ENDINGS) {
    const found = await realpath(path + ending).catch(() => undefined);
    if (found !== undefined && (ending !== '' || extname(path) !== '')) return found;
  }
  return path;
}

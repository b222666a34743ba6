import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = [
  'package-lock.json',
  'runtime/package.json',
  'controller/package.json',
  'tsconfig.base.json',
  'scripts/image-context.ts',
];
const FOLDERS = ['scripts/image', ...['runtime', 'controller'].flatMap((name) => [`${name}/src`, `${name}/bin`])];

/** Digest over everything that an image is made from: sources, lock file and the scripts that put it together. */
export function sourceStamp(root: string): string {
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
  );
  const hash = createHash('sha256');
  for (const name of [...FILES, ...names].sort()) hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

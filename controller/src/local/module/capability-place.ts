import { readFile } from 'node:fs/promises';
import { shortPath } from './module-fault.js';
import { moduleFiles } from './module-files.js';

const CAPABILITY = /\bcap:[\w.:-]*\w/g;

/** A text with the place of the capability that it names in the user's own module, or in what that imports: `file:line:column: text`. */
export async function withCapabilityPlace(text: string, module: string | undefined): Promise<string> {
  if (module === undefined) return text;
  const ids = [...text.matchAll(CAPABILITY)].map(([id]) => id);
  if (ids.length === 0) return text;
  for (const file of (await moduleFiles(module)).files) {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    for (const id of ids) {
      const at = lines.findIndex((line) => new RegExp(`['"\`]${escaped(id)}['"\`]`).test(line));
      if (at >= 0) return `${shortPath(file)}:${at + 1}:${(lines[at]?.indexOf(id) ?? 0) + 1}: ${text}`;
    }
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.');
}

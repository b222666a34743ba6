import { readFile } from 'node:fs/promises';
import { shortPath } from './module-fault.js';

const CAPABILITY = /\bcap:[\w.:-]*\w/g;

/** A refusal with the place of the capability that it names in the user's own module: `file:line:column: refusal`. */
export async function withCapabilityPlace(refusal: string, module: string | undefined): Promise<string> {
  if (module === undefined) return refusal;
  const lines = (await readFile(module, 'utf8').catch(() => '')).split('\n');
  for (const [id] of refusal.matchAll(CAPABILITY)) {
    const at = lines.findIndex((line) => new RegExp(`['"\`]${escaped(id)}['"\`]`).test(line));
    if (at >= 0) return `${shortPath(module)}:${at + 1}:${(lines[at]?.indexOf(id) ?? 0) + 1}: ${refusal}`;
  }
  return refusal;
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.');
}

import { readFileSync } from 'node:fs';

/** The command blocks of a document below a heading, in order, each as the text that a reader copies. */
export function blocksBelow(file: string, heading: string): string[] {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`${file} has no heading "${heading}"`);
  const level = heading.indexOf(' ');
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'));
  const chapter = end < 0 ? rest : rest.slice(0, end);
  return [...chapter.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].map(([, block]) => (block as string).trim());
}

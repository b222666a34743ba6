import { readFileSync } from 'node:fs';

/** A block of a document that names no language: commands, or what a reader copies into a file. */
export interface Block {
  readonly text: string;
  /** Line of the document that it begins after. */
  readonly line: number;
}

/** Every block of a document that names no language, in order; one in a list is moved to the left. */
export function blocksOf(file: string): Block[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)]
    .filter(([, , language]) => language === '' || language === 'sh')
    .map(({ 1: indent = '', 3: block = '', index }) => ({
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
      line: text.slice(0, index).split('\n').length,
    }));
}

/** The command blocks of a document below a heading, in order, each as the text that a reader copies. */
export function blocksBelow(file: string, heading: string): string[] {
  const text = `\n${readFileSync(file, 'utf8')}`;
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`${file} has no heading "${heading}"`);
  const level = heading.indexOf(' ');
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'));
  const chapter = end < 0 ? rest : rest.slice(0, end);
  return [...chapter.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].map(([, block]) => (block as string).trim());
}

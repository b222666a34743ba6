import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';

/** Characters of one column each: ASCII, and the marks of this program. */
const PLAIN = /^[\x20-\x7e…–·•✓✗▶]*$/;

type StringWidth = typeof import('string-width');
let loaded: StringWidth['default'] | undefined;

/** Loaded with the first text that needs it: loading takes longer than printing a table of plain texts. */
function stringWidth(text: string): number {
  loaded ??= (createRequire(import.meta.url)('string-width') as StringWidth).default;
  return loaded(text);
}

/** Columns that a terminal needs for the text: wide characters count twice, colours and marks that combine not at all. */
export function lengthOf(text: string): number {
  const bare = stripVTControlCharacters(text);
  return PLAIN.test(bare) ? bare.length : stringWidth(bare);
}

/** The text cut at its end to `width` columns, with an ellipsis. */
export function fitEnd(text: string, width: number): string {
  if (lengthOf(text) <= width) return text;
  return width < 1 ? '' : `${headOf(text, width - 1)}…`;
}

/** The text shortened in its middle to `width` columns, so that both ends, at which names differ, stay. */
export function fitMiddle(text: string, width: number): string {
  if (lengthOf(text) <= width) return text;
  if (width < 5) return fitEnd(text, width);
  const tail = Math.floor((width - 1) / 2);
  return `${headOf(text, width - 1 - tail)}…${tailOf(text, tail)}`;
}

/** A word, or a command in backticks, which is copied as a whole. */
const UNIT = /(?:`[^`\n]*`|\S)+/g;

/**
 * The text in lines of at most `width` columns: its own lines, broken between words and never within a command in backticks. A longer word is cut, or
 * with `whole` left to the terminal, as a longer command always is.
 */
export function wrap(text: string, width: number, { whole = false } = {}): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width, whole));
}

function wrapLine(text: string, width: number, whole: boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const unit of text.match(UNIT) ?? []) {
    if (line !== '' && lengthOf(line) + 1 + lengthOf(unit) > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? (whole || unit.includes('`') ? unit : fitEnd(unit, width)) : `${line} ${unit}`;
  }
  return [...lines, line];
}

let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as characters. */
function charactersOf(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function headOf(text: string, width: number): string {
  return taken(charactersOf(text), width).join('');
}

function tailOf(text: string, width: number): string {
  return taken(charactersOf(text).reverse(), width).reverse().join('');
}

function taken(characters: readonly string[], width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const character of characters) {
    used += lengthOf(character);
    if (used > width) break;
    kept.push(character);
  }
  return kept;
}

import type { Finding } from '../doctor/check.js';
import { paint } from './paint.js';
import { asTyped } from './self.js';
import { wrap } from './tables/width.js';

const MARKS: Readonly<Record<Finding['verdict'], () => string>> = {
  ok: () => paint.good('✓'),
  warn: () => paint.warn('!'),
  fail: () => paint.bad('✗'),
  skip: () => paint.dim('–'),
};

/** Width of mark and name. */
const INDENT = 14;

/** One finding for people: mark, what was checked, what was found, and beneath it what to do. */
export function findingLines({ check, verdict, message, advice }: Finding, width = Number.POSITIVE_INFINITY): string[] {
  const style = verdict === 'skip' ? paint.dim : (text: string) => text;
  const beneath = ' '.repeat(INDENT);
  const [first = '', ...more] = wrap(asTyped(message), width - INDENT);
  return [
    `${MARKS[verdict]()} ${check.padEnd(INDENT - 2)}${style(first)}`,
    ...more.map((line) => `${beneath}${style(line)}`),
    ...(advice ? wrap(asTyped(advice), width - INDENT).map((line) => `${beneath}${paint.key(line)}`) : []),
  ];
}

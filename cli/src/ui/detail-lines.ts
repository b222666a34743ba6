import { paint } from './paint.js';

/** One record for people: a line per member that is there, names aligned. */
export function detailLines(rows: readonly (readonly [string, string | number | undefined | null])[]): string[] {
  const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  const room = Math.max(0, ...shown.map(([name]) => name.length)) + 2;
  return shown.map(([name, value]) => `${paint.dim(name.padEnd(room))}${value}`);
}

/** A value as indented JSON under a name. */
export function jsonLines(name: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return [
    paint.dim(name),
    ...JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

/** The line that says how to get to the next page; `rest` names what is on it. */
export function pageLine(cursor: string | undefined | null, rest = 'more'): string[] {
  return cursor ? [paint.dim(`${rest}: --cursor ${cursor}`)] : [];
}

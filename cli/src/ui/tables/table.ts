import { stripVTControlCharacters } from 'node:util';

/** One column; `shrink` columns lose their ends first when the terminal is narrow. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  align?: 'right';
  shrink?: boolean;
  paint?: (text: string, row: Row) => string;
}

const GAP = 2;
/** No column is cut below this. */
const LEAST = 6;

/** An aligned table that keeps within `width` columns where its shrinkable columns allow it. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => columns.map((column) => column.value(row)));
  const widths = columns.map((column, at) =>
    Math.max(lengthOf(column.title), ...cells.map((line) => lengthOf(line[at] ?? ''))),
  );
  let excess = widths.reduce((sum, value) => sum + value, 0) + GAP * (columns.length - 1) - width;
  for (const at of columns
    .map((_, index) => index)
    .filter((index) => columns[index]?.shrink)
    .reverse()) {
    if (excess <= 0) break;
    const less = Math.min(excess, Math.max(0, (widths[at] ?? 0) - LEAST));
    widths[at] = (widths[at] ?? 0) - less;
    excess -= less;
  }
  const line = (texts: readonly string[], row?: Row): string =>
    texts
      .map((text, at) => {
        const column = columns[at] as Column<Row>;
        const fitted = fit(text, widths[at] ?? 0);
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - lengthOf(fitted)));
        const shown = row !== undefined && column.paint ? column.paint(fitted, row) : fitted;
        return column.align === 'right' ? space + shown : shown + space;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = line(columns.map((column) => column.title));
  return [head, ...rows.map((row, at) => line(cells[at] ?? [], row))].join('\n');
}

/** The text cut to `width` with an ellipsis. */
export function fit(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Characters that a terminal shows of the text. */
export function lengthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

import { fitEnd, fitMiddle, lengthOf } from './width.js';

/** One column. A column without `shrink` and `drop` is always shown whole. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  align?: 'right';
  /** How a narrow terminal shortens it: `end` for texts, `middle` for names that differ at their ends, `id` to the least unique prefix. */
  shrink?: 'end' | 'middle' | 'id';
  /** Less important columns are left out before this one gets narrower (default: 8, 20 for `middle`). */
  least?: number;
  /** May be left out on a narrow terminal: the column with the highest number first. */
  drop?: number;
  /** Shown only by `-o wide`. */
  wide?: boolean;
  paint?: (text: string, row: Row) => string;
}

const GAP = 2;
/** Below this no column is shortened; then columns are left out from the right. */
const FLOOR = 4;
const LEAST = 8;
const LEAST_MIDDLE = 20;
/** A shortened id is never shorter than its prefix and eight characters. */
const LEAST_ID = 12;

/** An aligned table that keeps within `width` columns: first less important columns are left out, then the longest are shortened. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = Number.POSITIVE_INFINITY,
  options: { wide?: boolean } = {},
): string {
  const offered = columns.filter((column) => options.wide || !column.wide).map((column) => measured(rows, column));
  const shown = options.wide ? offered : fitted(offered, width);
  const line = (texts: readonly string[], row?: Row): string =>
    texts
      .map((text, at) => {
        const { column, width: room } = shown[at] as Measured<Row>;
        const short = shortened(text, room, column.shrink);
        const space = ' '.repeat(Math.max(0, room - lengthOf(short)));
        const painted = row !== undefined && column.paint ? column.paint(short, row) : short;
        return column.align === 'right' ? space + painted : painted + space;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    line(shown.map(({ column }) => column.title)),
    ...rows.map((row, at) =>
      line(
        shown.map(({ cells }) => cells[at] ?? ''),
        row,
      ),
    ),
  ].join('\n');
}

interface Measured<Row> {
  column: Column<Row>;
  cells: readonly string[];
  /** Below this less important columns are left out. */
  least: number;
  /** Below this two different cells could become equal. */
  distinct: number;
  width: number;
}

function measured<Row>(rows: readonly Row[], column: Column<Row>): Measured<Row> {
  const cells = rows.map((row) => column.value(row));
  const title = lengthOf(column.title);
  const natural = Math.max(title, ...cells.map(lengthOf));
  const distinct = distinctWidth(column, cells, natural);
  const wanted = column.least ?? (column.shrink === 'middle' ? LEAST_MIDDLE : LEAST);
  const least = column.shrink ? Math.min(natural, Math.max(title, wanted, distinct)) : natural;
  return { column, cells, least, distinct, width: natural };
}

/** The least width at which no two different cells become equal: names stay apart when they are shortened. */
function distinctWidth<Row>({ shrink }: Column<Row>, cells: readonly string[], natural: number): number {
  if (shrink === undefined) return natural;
  if (shrink === 'end') return FLOOR;
  const different = new Set(cells).size;
  for (let width = shrink === 'id' ? LEAST_ID : LEAST; width < natural; width += 1)
    if (new Set(cells.map((cell) => shortened(cell, width, shrink))).size === different) return width;
  return natural;
}

function fitted<Row>(offered: readonly Measured<Row>[], width: number): Measured<Row>[] {
  let shown = [...offered];
  const total = (of: 'least' | 'width'): number =>
    shown.reduce((sum, column) => sum + column[of], 0) + GAP * (shown.length - 1);
  while (total('least') > width) {
    const dropped = leastImportant(shown);
    if (!dropped) break;
    shown = shown.filter((column) => column !== dropped);
  }
  const shrink = (floor: (column: Measured<Row>) => number): void => {
    while (total('width') > width) {
      const widest = shown
        .filter((column) => column.column.shrink && column.width > floor(column))
        .reduce<Measured<Row> | undefined>((a, b) => (a && a.width >= b.width ? a : b), undefined);
      if (!widest) return;
      widest.width -= 1;
    }
  };
  shrink(({ least }) => least);
  shrink(({ distinct }) => distinct);
  shrink(({ column, distinct }) => (column.shrink === 'id' ? distinct : FLOOR));
  shrink(() => FLOOR);
  while (total('width') > width && shown.length > 1) shown.pop();
  const [only] = shown;
  if (only && shown.length === 1) only.width = Math.min(only.width, width);
  return shown;
}

function leastImportant<Row>(shown: readonly Measured<Row>[]): Measured<Row> | undefined {
  return shown
    .filter(({ column }) => column.drop !== undefined)
    .reduce<Measured<Row> | undefined>(
      (a, b) => (a && (a.column.drop ?? 0) >= (b.column.drop ?? 0) ? a : b),
      undefined,
    );
}

function shortened(text: string, width: number, shrink: 'end' | 'middle' | 'id' | undefined): string {
  if (shrink === 'middle') return fitMiddle(text, width);
  if (shrink === 'id') return lengthOf(text) <= width ? text : text.slice(0, width);
  return fitEnd(text, width);
}

import { comparePositions, type Position } from './position.js';
import type { LogRow } from './row.js';

/** How much of the newest part of the log a process keeps, so that followers join without reading it again. */
const KEPT_ROWS = 4096;
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/** The newest rows of the log without a gap. */
export interface RecentRows {
  add(rows: readonly LogRow[]): void;
  /** The rows after a place, or undefined when the place lies before what is kept. */
  after(place: Position): readonly LogRow[] | undefined;
}

/** Keeps rows that follow `start` directly. */
export function recentRows(start: Position): RecentRows {
  let base = start;
  let rows: LogRow[] = [];
  let characters = 0;
  const sizeOf = (row: LogRow): number => row.record.length + (row.chunk?.record.length ?? 0);
  return {
    add: (more) => {
      rows.push(...more);
      for (const row of more) characters += sizeOf(row);
      let cut = 0;
      while (rows.length - cut > KEPT_ROWS || (characters > KEPT_CHARACTERS && cut < rows.length)) {
        const row = rows[cut] as LogRow;
        characters -= sizeOf(row);
        base = row.position;
        cut += 1;
      }
      if (cut > 0) rows = rows.slice(cut);
    },
    after: (place) => {
      if (comparePositions(place, base) < 0) return undefined;
      const first = rows.findIndex((row) => comparePositions(row.position, place) > 0);
      return first < 0 ? [] : rows.slice(first);
    },
  };
}

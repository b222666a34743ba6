import { PAGE } from '../query-parameters.js';

/** Bytes of documents that one page of stored records carries at most; a page then ends early, with a cursor. */
const LIST_PAGE_BYTES = 8 * 1024 * 1024;

/** Rows of a page: as many as requested, clamped to 1 through 1000; by default 100. */
export function pageRows(requested: number | undefined): number {
  return Math.min(PAGE.max, Math.max(PAGE.min, requested ?? PAGE.default));
}

/** The first rows whose bytes stay within the bound of a page, by default 8 MiB; always at least one. */
export function withinBytes<T>(
  rows: readonly T[],
  bytesOf: (row: T) => number,
  maxBytes: number = LIST_PAGE_BYTES,
): T[] {
  const kept: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (kept.length > 0 && bytes > maxBytes) break;
    kept.push(row);
  }
  return kept;
}

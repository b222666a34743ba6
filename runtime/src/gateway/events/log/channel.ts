import type { LogRow } from './row.js';

/** What followers of the whole log share who are shown the same in the same form: it is selected and written once for all of them. */
export interface Channel {
  /** The followers of channels of one name are in one channel. */
  readonly name: string;
  /** Whether they are shown a row. */
  selects(row: LogRow): boolean;
}

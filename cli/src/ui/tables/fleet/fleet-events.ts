import { shownName } from '@aip/controller/internal/names';
import type { EventView } from '../../../fleet/describe/description.js';
import { age } from '../../age.js';
import { paint } from '../../paint.js';
import { type Column, table } from '../table.js';

const columns = (now: number): Column<EventView>[] => [
  { title: 'LAST', value: (row) => age(row.at, now), align: 'right' },
  { title: 'TIMES', value: (row) => String(row.count), align: 'right', drop: 1 },
  {
    title: 'REASON',
    value: (row) => row.reason,
    paint: (text, row) => (row.type === 'Warning' ? paint.warn(text) : text),
  },
  { title: 'ABOUT', value: (row) => shownName(row.about), shrink: 'middle', least: 14, drop: 2 },
  { title: 'NOTE', value: (row) => row.note, shrink: 'end', least: 30 },
];

/** Events of a fleet for people. */
export function fleetEventTable(events: readonly EventView[], now: number, width?: number): string {
  return events.length === 0 ? 'No events.' : table(events, columns(now), width);
}

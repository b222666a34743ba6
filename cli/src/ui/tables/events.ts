import type { Event } from '@aip/runtime/internal/protocol';
import type { EventPage } from '../../client/event-page.js';
import { age } from '../age.js';
import { pageLine } from '../detail-lines.js';
import { chunkText, eventText } from '../format.js';
import { type Column, table } from './table.js';

/** What the next page of events is called: the last page has a cursor too, behind which later events appear. */
const LATER = 'later ones';

interface View {
  width?: number | undefined;
  wide?: boolean;
}

const ACTION: Column<Event> = { title: 'ACTION', value: (row) => row.action_id ?? '–', shrink: 'id', drop: 1 };

const columns = (now: number, action: Column<Event>): Column<Event>[] => [
  { title: 'AGE', value: (row) => age(row.occurred_at, now), align: 'right' },
  { title: 'KIND', value: (row) => row.kind, shrink: 'middle' },
  action,
  { title: 'DATA', value: (row) => eventText(row), shrink: 'end', least: 20, drop: 2 },
  { title: 'AT', value: (row) => row.occurred_at, wide: true },
  { title: 'ACTOR', value: (row) => row.actor?.id ?? '', wide: true },
  { title: 'ID', value: (row) => row.id, wide: true },
];

/** Events for people. */
export function eventTable(page: EventPage, view: View): string[] {
  return eventLines(page, view, ACTION);
}

/** Events of one action for people. */
export function actionEventTable(page: EventPage, view: View): string[] {
  return eventLines(page, view, { ...ACTION, wide: true });
}

function eventLines(page: EventPage, view: View, action: Column<Event>): string[] {
  if (page.events.length === 0) return ['No events.', ...pageLine(page.cursor, LATER)];
  const text = table(page.events, columns(Date.now(), action), view.width, { wide: view.wide === true });
  return [...text.split('\n'), ...pageLine(page.cursor, LATER)];
}

/** Chunks for people, one a line. */
export function chunkLines(page: EventPage): string[] {
  const chunks = page.chunks ?? [];
  if (chunks.length === 0) return ['No chunks.', ...pageLine(page.cursor, LATER)];
  return [
    ...chunks.map((chunk) => `#${chunk.sequence} ${chunk.kind} ${chunkText(chunk)}`.trimEnd()),
    ...pageLine(page.cursor, LATER),
  ];
}

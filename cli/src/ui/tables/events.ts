import type { Event } from '@aip/runtime/internal/protocol';
import type { EventPage } from '../../client/event-page.js';
import { pageLine } from '../detail-lines.js';
import { chunkText, eventText } from '../format.js';
import { type Column, table } from './table.js';

const columns: Column<Event>[] = [
  { title: 'AT', value: (row) => row.occurred_at.replace(/\.\d+Z$/, 'Z') },
  { title: 'KIND', value: (row) => row.kind, shrink: 'middle' },
  { title: 'ACTION', value: (row) => row.action_id ?? '–', shrink: 'id', drop: 1 },
  { title: 'DATA', value: (row) => eventText(row), shrink: 'end', drop: 2 },
  { title: 'ACTOR', value: (row) => row.actor?.id ?? '', wide: true },
  { title: 'ID', value: (row) => row.id, wide: true },
];

/** Events for people. */
export function eventTable(page: EventPage, view: { width?: number | undefined; wide?: boolean }): string[] {
  if (page.events.length === 0) return ['No events.', ...pageLine(page.cursor)];
  return [
    ...table(page.events, columns, view.width, { wide: view.wide === true }).split('\n'),
    ...pageLine(page.cursor),
  ];
}

/** Chunks for people, one a line. */
export function chunkLines(page: EventPage): string[] {
  const chunks = page.chunks ?? [];
  if (chunks.length === 0) return ['No chunks.', ...pageLine(page.cursor)];
  return [
    ...chunks.map((chunk) => `#${chunk.sequence} ${chunk.kind} ${chunkText(chunk)}`.trimEnd()),
    ...pageLine(page.cursor),
  ];
}

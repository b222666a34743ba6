import type { Event, StreamChunk } from '@aip/runtime/internal/protocol';

/** A page of events or chunks, whatever envelope it came in. */
export interface EventPage {
  events: Event[];
  chunks?: StreamChunk[];
  cursor?: string;
}

/** Finds the page in an answer: the resource itself, or the body of an envelope with it. */
export function eventPage(answer: Record<string, unknown>): EventPage {
  const body = answer.body as Record<string, unknown> | undefined;
  const found = body === undefined ? answer : ((Object.values(body)[0] ?? {}) as Record<string, unknown>);
  const { events, chunks, cursor, next_cursor } = found as Partial<EventPage> & { next_cursor?: string };
  const next = cursor ?? next_cursor;
  return { events: events ?? [], ...(chunks ? { chunks } : {}), ...(next === undefined ? {} : { cursor: next }) };
}

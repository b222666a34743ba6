import { parseJson } from '../../protocol/json.js';
import type { ActionEvents, Event, EventStream, StreamChunk } from '../../protocol/types.js';
import type { Page } from './page.js';

/** What a page shows, without where it ends. */
type Shown = Pick<Page, 'events' | 'chunks' | 'terminal'>;

/** The EventStream of a page as JSON text: the stored records are in it as they were written. */
export function eventStreamText(page: Pick<Page, 'events'>, cursor: string): string {
  return `{"events":[${records(page.events)}],"next_cursor":${JSON.stringify(cursor)}}`;
}

/** The ActionEvents of a page as JSON text; `chunks` only when they were requested and there are some. */
export function actionEventsText(actionId: string, page: Shown, cursor: string, withChunks: boolean): string {
  const chunks = withChunks && page.chunks.length > 0 ? `"chunks":[${records(page.chunks)}],` : '';
  const head = `{"action_id":${JSON.stringify(actionId)},"events":[${records(page.events)}],${chunks}`;
  return `${head}"cursor":${JSON.stringify(cursor)},"terminal":${page.terminal}}`;
}

/** The EventStream of a page as a value, for the body of an envelope. */
export function eventStreamBody(page: Page, cursor: string): EventStream {
  return { events: page.events.map((event) => parseJson(event.record) as Event), next_cursor: cursor };
}

/** The ActionEvents of a page as a value, for the body of an envelope: an empty list of chunks is absent there. */
export function actionEventsBody(actionId: string, page: Page, cursor: string): ActionEvents {
  const chunks = page.chunks.map((chunk) => parseJson(chunk.record) as StreamChunk);
  return {
    action_id: actionId,
    events: page.events.map((event) => parseJson(event.record) as Event),
    ...(chunks.length > 0 ? { chunks } : {}),
    cursor,
    terminal: page.terminal,
  };
}

function records(rows: readonly { readonly record: string }[]): string {
  return rows.map((row) => row.record).join(',');
}

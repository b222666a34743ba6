import type { Event } from '@aip/runtime/internal/protocol';
import { eventText } from './format.js';
import { paint } from './paint.js';
import { fitEnd } from './tables/width.js';

/** One event on one line that is never broken. */
export function eventLine(event: Event, width = Number.POSITIVE_INFINITY): string {
  const at = event.occurred_at.slice(11, 19);
  const head = `${at} ${event.kind}${event.action_id === undefined ? '' : ` ${event.action_id}`}`;
  const shown = fitEnd(head, width);
  const rest = fitEnd(eventText(event), Math.max(0, width - shown.length - 1));
  return `${shown.replace(at, paint.dim(at))}${rest === '' ? '' : ` ${paint.dim(rest)}`}`;
}

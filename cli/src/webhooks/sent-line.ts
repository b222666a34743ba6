import { compact } from '../ui/format.js';
import { paint } from '../ui/paint.js';
import type { SentDelivery } from './send-delivery.js';

/** One line about a delivery that was answered. */
export function sentLine({ url, delivery_id, status, answer }: SentDelivery): string {
  const { accepted_events: events, central_delivery: central } = (answer ?? {}) as {
    accepted_events?: number;
    central_delivery?: string | null;
  };
  const mark = status === 200 ? paint.good('✓') : paint.bad('✗');
  const outcome =
    status !== 200
      ? `refused with status ${status}: ${compact(answer)}`
      : events === 1
        ? `accepted as one event (${central})`
        : 'accepted without an event';
  return `${mark} ${outcome} ${paint.dim(`${url} ${delivery_id}`)}`;
}

import type { Event, ProtocolError } from '../protocol/types.js';
import { waited } from '../time/wait.js';
import { errorPermitsRetry, pauseMs } from './decide.js';
import { GatewayRefused, GatewayUnreachable } from './errors.js';
import type { Gateway } from './gateway.js';
import { readSse } from './sse.js';

/** What a follower of all events gets; every event once. */
export type FollowedEvent = { kind: 'event'; event: Event } | { kind: 'reconnecting'; afterMs: number; reason: string };

/** Ids remembered to recognise what comes twice after a reconnection. */
const REMEMBERED = 10_000;

/** Follows the events that the caller may see until `signal`. A broken stream is resumed from the retained cursor. Throws GatewayRefused for an error that permits no retry. */
export async function* followEvents(
  gateway: Gateway,
  options: { kinds?: readonly string[] | undefined; cursor?: string | undefined; signal: AbortSignal },
): AsyncGenerator<FollowedEvent> {
  const seen = new Set<string>();
  let retained = options.cursor;
  let failures = 0;
  while (!options.signal.aborted) {
    let reason = 'the stream ended';
    let retryAfterMs: number | undefined;
    try {
      const response = await gateway.open({
        path: '/aip/v1/events',
        query: { follow: true, kinds: options.kinds?.join(','), cursor: retained },
        signal: options.signal,
      });
      for await (const frame of readSse(response.body as AsyncIterable<Uint8Array>)) {
        failures = 0;
        if (!frame) continue;
        if (frame.event === 'aip.error')
          throw new GatewayRefused((JSON.parse(frame.data) as { error: ProtocolError }).error, 200);
        if (frame.event === 'aip.stream.cursor') {
          retained = (JSON.parse(frame.data) as { next_cursor: string }).next_cursor;
          continue;
        }
        const { event } = JSON.parse(frame.data) as { event?: Event };
        if (!event || seen.has(event.id)) continue;
        seen.add(event.id);
        if (seen.size > REMEMBERED) seen.delete(seen.values().next().value as string);
        yield { kind: 'event', event };
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (error instanceof GatewayRefused && !errorPermitsRetry(error.error)) throw error;
      if (error instanceof GatewayRefused) retryAfterMs = error.error.retry_after_ms;
      else if (failures === 0 && retained === undefined && seen.size === 0 && error instanceof GatewayUnreachable)
        throw error;
      reason = error instanceof Error ? error.message : String(error);
    }
    const afterMs = pauseMs(failures, retryAfterMs);
    failures += 1;
    yield { kind: 'reconnecting', afterMs, reason };
    await waited(afterMs, options.signal);
  }
}

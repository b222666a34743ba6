import type { Readable } from 'node:stream';
import { openTimer } from '@aip/runtime/internal/time';
import type { WatchEvent } from '../kube.js';
import { answerError, type StatusObject } from './answer-error.js';

/** No event is longer: an object may have 1.5 MiB at the API server. More than this without a line end is not a watch. */
const MAX_LINE = 16 * 1024 * 1024;

/**
 * The events of a watch's body. Ends when the body ends or breaks, when a line is cut off or is not an event, and when nothing came for
 * `idleMs`; the reader then continues from the last version it saw. An ERROR event is thrown, 410 as KubeGone.
 */
export async function* readWatch<T>(body: Readable, idleMs: number): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const decoder = new TextDecoder();
  const silence = openTimer(() => body.destroy());
  // A body that is destroyed or cut reports that by an error, which only means the end here.
  body.on('error', () => undefined);
  silence.start(idleMs);
  try {
    let rest = '';
    for await (const chunk of chunksOf(body)) {
      // The time in which the consumer handles events is not silence of the server.
      silence.stop();
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        const event = parseEvent<T>(line);
        if (!event) return;
        yield event;
      }
      if (rest.length > MAX_LINE) return;
      silence.start(idleMs);
    }
  } finally {
    silence.stop();
    body.destroy();
  }
}

async function* chunksOf(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body;
  } catch {
    return;
  }
}

function parseEvent<T>(line: string): WatchEvent<T> | undefined {
  let event: { type?: string; object?: unknown };
  try {
    event = JSON.parse(line);
  } catch {
    return undefined;
  }
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return event.object === undefined ? undefined : (event as WatchEvent<T>);
    case 'ERROR': {
      const status = (event.object ?? {}) as StatusObject;
      throw answerError(status.code ?? 500, status);
    }
    default:
      return undefined;
  }
}

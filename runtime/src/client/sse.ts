/** One server-sent event. */
export interface SseEvent {
  event: string;
  data: string;
  id?: string;
}

/** Most characters of one event, and of a line that has not ended: an event page is at most 4 MiB. */
export const MAX_SSE_EVENT = 8 * 1024 * 1024;

/**
 * Reads the events of a text/event-stream body; comments (keep-alives) come as undefined so that a caller sees life. Throws where an event
 * or a line exceeds `MAX_SSE_EVENT`.
 */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent | undefined> {
  // Loaded with the first stream: a command that lists is started without it.
  const { createParser } = await import('eventsource-parser');
  const decoder = new TextDecoder();
  let read: (SseEvent | undefined)[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: MAX_SSE_EVENT,
    onComment: () => read.push(undefined),
    onEvent: ({ event = 'message', data, id }) => {
      // The parser bounds what it keeps between two parts of the body, not an event within one part.
      if (data.length > MAX_SSE_EVENT) tooLong = true;
      else read.push({ event, data, ...(id === undefined ? {} : { id }) });
    },
    // An unknown field or an invalid `retry` is ignored, as the standard says.
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') tooLong = true;
    },
  });
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* read;
    if (tooLong) throw new Error(`an event of the stream has more than ${MAX_SSE_EVENT} characters`);
    read = [];
  }
}

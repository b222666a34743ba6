/** One server-sent event. */
export interface SseEvent {
  event: string;
  data: string;
  id?: string;
}

/** Longest line buffered, in characters: an event page is at most 4 MiB. */
const MAX_LINE = 8 * 1024 * 1024;

/** Reads the events of a text/event-stream body; comments (keep-alives) come as undefined so that a caller sees life. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent | undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new Error('the event stream has a line without end');
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0)
          yield { event: event || 'message', data: data.join('\n'), ...(id === undefined ? {} : { id }) };
        event = '';
        data = [];
        id = undefined;
      } else if (line.startsWith(':')) yield undefined;
      else {
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'event') event = value;
        else if (field === 'data') data.push(value);
        else if (field === 'id') id = value;
      }
    }
  }
}

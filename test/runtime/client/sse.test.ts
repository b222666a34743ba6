import { expect, test } from 'vitest';
import { MAX_SSE_EVENT, readSse, type SseEvent } from '#runtime/client/sse.js';

async function* from(parts: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? new TextEncoder().encode(part) : part;
}

async function eventsOf(parts: Iterable<string | Uint8Array>): Promise<(SseEvent | undefined)[]> {
  const found: (SseEvent | undefined)[] = [];
  for await (const event of readSse(from(parts))) found.push(event);
  return found;
}

test('an event stream reads the same however the network cuts it', async () => {
  const text =
    ': keep-alive\n\nevent: aip.stream.chunk\ndata: {"é":1}\nid: chunk:1\n\r\nevent:x\r\ndata:a\r\ndata: b\r\n\r\n';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(bytes.slice(at, at + size));
    expect(await eventsOf(parts), `cut every ${size} bytes`).toEqual([
      undefined,
      { event: 'aip.stream.chunk', data: '{"é":1}', id: 'chunk:1' },
      { event: 'x', data: 'a\nb' },
    ]);
  }
});

test('an event without a name is a message; unknown fields, an invalid retry and an event that has not ended are ignored', async () => {
  expect(await eventsOf(['retry: soon\nother: 1\nmore\ndata: a\n\n', 'event: none\n\n', 'data: cut'])).toEqual([
    { event: 'message', data: 'a' },
  ]);
});

const PART = 64 * 1024;

/** `length` characters in parts as the network brings them. */
function* inParts(length: number): Generator<string> {
  for (let left = length; left > 0; left -= PART) yield 'x'.repeat(Math.min(PART, left));
}

function* line(start: string, length: number, end: string): Generator<string> {
  yield start;
  yield* inParts(length);
  yield end;
}

const TOO_LONG = 'an event of the stream has more than 8388608 characters';

test('an event of the most characters is read, in parts and in one', async () => {
  const [event] = await eventsOf(line('data:', MAX_SSE_EVENT - 'data:'.length, '\n\n'));
  expect(event?.data.length).toBe(MAX_SSE_EVENT - 'data:'.length);
  const [whole] = await eventsOf([`data:${'x'.repeat(MAX_SSE_EVENT)}\n\n`]);
  expect(whole?.data.length).toBe(MAX_SSE_EVENT);
});

test.each([
  ['a line that does not end', () => line('data:', MAX_SSE_EVENT, '')],
  ['a comment that does not end', () => line(':', MAX_SSE_EVENT, '')],
  ['a name that does not end', () => line('event:', MAX_SSE_EVENT, '')],
  ['an event in one part', () => [`data:${'x'.repeat(MAX_SSE_EVENT + 1)}\n\n`]],
  ['an event of many lines', () => Array.from({ length: 1025 }, () => `data:${'x'.repeat(8191)}\n`)],
])('%s is refused above the most characters', async (_, parts) => {
  await expect(eventsOf(parts())).rejects.toThrow(TOO_LONG);
});

test('what came before an event that is too long is read', async () => {
  const found: unknown[] = [];
  const reading = (async () => {
    for await (const event of readSse(from([`data: a\n\ndata:${'x'.repeat(MAX_SSE_EVENT + 1)}\n`]))) found.push(event);
  })();
  await expect(reading).rejects.toThrow(TOO_LONG);
  expect(found).toEqual([{ event: 'message', data: 'a' }]);
});

test('an endless line that is not a field of an event is not kept', async () => {
  const events = await eventsOf(
    (function* () {
      yield* inParts(3 * MAX_SSE_EVENT);
      yield '\ndata: after\n\n';
    })(),
  );
  expect(events).toEqual([{ event: 'message', data: 'after' }]);
});

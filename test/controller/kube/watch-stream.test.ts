import { PassThrough, Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { KubeForbidden, KubeGone } from '#controller/kube/client/errors.js';
import { readWatch } from '#controller/kube/client/watch.js';
import type { WatchEvent } from '#controller/kube/kube.js';

const LONG = 60_000;
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
async function read(body: Readable, idleMs = LONG): Promise<WatchEvent<unknown>[]> {
  const events: WatchEvent<unknown>[] = [];
  for await (const event of readWatch<unknown>(body, idleMs)) events.push(event);
  return events;
}

test('events come whole however the bytes are cut', async () => {
  const bytes = Buffer.from(line('ADDED', { n: 'grüße 🚢' }) + line('BOOKMARK', { n: 2 }) + line('DELETED', { n: 3 }));
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const events = await read(Readable.from(parts));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'DELETED']);
    expect(events[0]?.object).toEqual({ n: 'grüße 🚢' });
  }
});

test.each([
  ['cut off', '{"type":"MODIFIED","obj'],
  ['no JSON', '<html>\n'],
  ['no event', '{"a":1}\n'],
  ['without an object', '{"type":"ADDED"}\n'],
  ['null', 'null\n'],
])('a line that is %s ends the watch', async (_, text) => {
  expect(await read(Readable.from([Buffer.from(line('ADDED', 1) + text)]))).toHaveLength(1);
});

test('what breaks the connection ends the watch', async () => {
  const body = new PassThrough();
  const events = read(body);
  body.write(line('ADDED', 1));
  body.write('{"type":');
  body.destroy(new Error('connection reset'));
  expect((await events).length).toBeLessThanOrEqual(1);
});

test('an ERROR event is thrown', async () => {
  const error = (code: number): Promise<unknown> =>
    read(Readable.from([Buffer.from(line('ERROR', { kind: 'Status', code }))])).catch((reason: unknown) => reason);
  expect(await error(410)).toBeInstanceOf(KubeGone);
  expect(await error(403)).toBeInstanceOf(KubeForbidden);
});

test('silence ends the watch, whatever came before', async () => {
  const body = new PassThrough();
  body.write(line('ADDED', 1));
  expect(await read(body, 50)).toHaveLength(1);
  expect(body.destroyed).toBe(true);
});

test('the time that the reader takes is not silence', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const body = new PassThrough();
    const events = readWatch<unknown>(body, 50);
    body.write(line('ADDED', 1) + line('ADDED', 2));
    expect((await events.next()).value).toMatchObject({ object: 1 });
    vi.advanceTimersByTime(500);
    expect((await events.next()).value).toMatchObject({ object: 2 });
    const end = events.next();
    await vi.advanceTimersByTimeAsync(500);
    expect(await end).toMatchObject({ done: true });
    expect(body.destroyed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

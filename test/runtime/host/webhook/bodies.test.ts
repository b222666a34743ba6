import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openBodyReader, WEBHOOK_BODY_BYTES } from '#runtime/host/webhook/bodies.js';
import { beginBody, type UnfinishedRequest } from '../../../support/network/unfinished-body.ts';
import { until } from '../../../support/until.ts';

/** Bodies of this size that are in memory at once. */
const HELD = 64;

let server: Server | undefined;
const strangers: UnfinishedRequest[] = [];
afterEach(() => {
  for (const { destroy } of strangers.splice(0)) destroy();
  server?.closeAllConnections();
  server?.close();
});

/** A server that reads bodies; `arrived` counts the bytes of those that are not complete. */
async function start(completeMs?: number): Promise<{ url: string; arrived: () => number }> {
  const bodies = openBodyReader(completeMs);
  let arrived = 0;
  server = createServer((request, response) => {
    request.on('data', (part: Buffer) => {
      arrived += part.length;
    });
    bodies.read(request, true, async () => void response.end('read')).catch(() => undefined);
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived: () => arrived };
}
function begin(url: string, length: number): UnfinishedRequest & { closed: () => boolean } {
  const stranger = beginBody(url, { path: '/', declared: WEBHOOK_BODY_BYTES, first: 'x'.repeat(length) });
  strangers.push(stranger);
  let closed = false;
  void stranger.answer.then(() => {
    closed = true;
  });
  return { ...stranger, closed: () => closed };
}

test('when 64 MiB of bodies are held, the body that is incomplete for longest gives way', async () => {
  const { url, arrived } = await start();
  const part = WEBHOOK_BODY_BYTES - 1;
  const first = begin(url, part);
  await until('the first one arrived', () => arrived() === part);
  const others = Array.from({ length: HELD - 1 }, () => begin(url, part));
  await until('all arrived', () => arrived() === HELD * part);
  expect([first, ...others].filter(({ closed }) => closed())).toEqual([]);
  const last = begin(url, part);
  expect(await first.answer).toBe('');
  for (const each of [...others, last]) each.send('x');
  for (const each of [...others, last]) await until('it is read', () => each.soFar().endsWith('read'));
});

test('a body that is not complete in time gives way, whatever it sends meanwhile', async () => {
  const { url } = await start(50);
  const slow = begin(url, 1);
  expect(await slow.answer).toBe('');
});

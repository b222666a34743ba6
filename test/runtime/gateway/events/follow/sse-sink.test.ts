import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PeerGone, type SseSink, sseSink } from '#runtime/gateway/events/follow/sse-sink.js';
import { FollowerTooSlow } from '#runtime/protocol/errors.js';

/** What the buffers of two sockets do not hold. */
const MORE_THAN_BUFFERS = Buffer.alloc(64 * 1_048_576, 'x');

/** A stream to a peer that reads nothing. */
async function openStream(): Promise<{ sink: SseSink; response: ServerResponse; peer: IncomingMessage }> {
  const server = createServer();
  const opened = new Promise<{ sink: SseSink; response: ServerResponse }>((done) =>
    server.once('request', (_: IncomingMessage, response: ServerResponse) =>
      done({ sink: sseSink(response), response }),
    ),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const peer = await new Promise<IncomingMessage>((done) =>
    get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, done),
  );
  peer.on('error', () => undefined);
  peer.pause();
  return { ...(await opened), peer };
}

/** A stream to a peer that reads nothing, with a write that waits for it. */
async function fullStream(): Promise<{ sink: SseSink; waits: Promise<void>; peer: IncomingMessage }> {
  const { sink, peer } = await openStream();
  const waits = sink.write(MORE_THAN_BUFFERS);
  if (waits === undefined) throw new Error('the write does not wait');
  return { sink, waits, peer };
}

test('N-361 an idle stream gets a keep-alive every 15 seconds of silence, and none before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { sink, response } = await openStream();
    const write = vi.spyOn(response, 'write');
    const keepAlives = () => write.mock.calls.filter(([text]) => text === ': keep-alive\n\n').length;
    for (const already of [0, 1, 2]) {
      await vi.advanceTimersByTimeAsync(14_999);
      expect(keepAlives()).toBe(already);
      await vi.advanceTimersByTimeAsync(1);
      expect(keepAlives()).toBe(already + 1);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    sink.write(Buffer.from('data: {}\n\n'));
    await vi.advanceTimersByTimeAsync(14_999);
    expect(keepAlives()).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(keepAlives()).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['1.1', 'd\r\ndata: "hé"\n\n\r\n0\r\n\r\n'],
  ['1.0', 'data: "hé"\n\n'],
])('a peer that speaks HTTP/%s gets the frames of a stream as that version has them', async (version, expected) => {
  const server = createServer((_, response) => {
    const sink = sseSink(response);
    sink.write(Buffer.from('data: "hé"\n\n'));
    sink.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  peer.write(`GET / HTTP/${version}\r\nHost: here\r\nConnection: close\r\n\r\n`);
  const answer = await text(peer);
  expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(expected);
});

test('a stream to a peer that left before it was opened is gone, and takes nothing', async () => {
  const opened = Promise.withResolvers<SseSink>();
  const server = createServer((_, response) => {
    response.once('close', () => setImmediate(() => opened.resolve(sseSink(response))));
    peer.resetAndDestroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  peer.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const sink = await opened.promise;
  expect(sink.gone.aborted).toBe(true);
  expect(() => sink.write(Buffer.from('data: {}\n\n'))).toThrow(PeerGone);
});

test('a write that waits for a peer fails after 30 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { waits } = await fullStream();
    let outcome: unknown = 'it waits';
    const end = (how: unknown): void => {
      outcome = how;
    };
    waits.then(() => end('written'), end);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(outcome).toBe('it waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toBeInstanceOf(FollowerTooSlow);
  } finally {
    vi.useRealTimers();
  }
});

test('a write that waits for a peer ends when the stream is dropped, and when the peer reads', async () => {
  const dropped = await fullStream();
  dropped.sink.drop();
  expect(await dropped.waits).toBeUndefined();
  const read = await fullStream();
  read.peer.resume();
  expect(await read.waits).toBeUndefined();
});

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { PeerTransportFailed } from '#runtime/transport/peer/errors.js';
import { until } from '../../support/until.ts';
import { actionEnvelope, clientFor, peerOf, startPeer, type TestPeer } from './peer.ts';

const failureOf = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error) => error,
  );

/** Sends more of an answer again and again until its connection is closed, which `closed` reports. */
function dripping(peer: TestPeer, begin: string, part: string): { closed: () => number } {
  let closed = 0;
  peer.behave = (_request, _response, _n, socket) => {
    socket.write(begin);
    const timer = setInterval(() => socket.write(part), 20);
    socket.once('close', () => {
      clearInterval(timer);
      closed += 1;
    });
  };
  return { closed: () => closed };
}
const OK = 'HTTP/1.1 200 OK\r\n';

test('an answer that drips byte by byte ends with the time of its attempt, and its connection is closed', async () => {
  const peer = await startPeer();
  const { closed } = dripping(peer, `${OK}content-length: 4000000\r\n\r\n{`, ' ');
  const failure = await failureOf(clientFor({ timeoutMs: 500 }).send(actionEnvelope(), peerOf(peer)));
  expect(failure).toBeInstanceOf(PeerTransportFailed);
  expect(failure).toMatchObject({ reached: true, attempts: 1, httpStatus: 200 });
  expect(await until('the connection is closed', () => closed() === 1)).toBe(true);
});

test('headers that have no end are cut with the time of each attempt, and before it when they grow', async () => {
  const slow = await startPeer();
  const { closed } = dripping(slow, OK, 'x-more: header\r\n');
  const late = await failureOf(clientFor({ timeoutMs: 300 }).send(actionEnvelope(), peerOf(slow)));
  expect(late).toMatchObject({ reached: true, attempts: 3 });
  expect(await until('all connections are closed', () => closed() === 3)).toBe(true);

  const large = await startPeer();
  const grown = dripping(large, OK, `x-more: ${'y'.repeat(60_000)}\r\n`);
  const failure = await failureOf(clientFor({ timeoutMs: 60_000 }).send(actionEnvelope(), peerOf(large)));
  expect(failure).toMatchObject({ reached: true, attempts: 3 });
  expect(await until('all connections are closed', () => grown.closed() === 3)).toBe(true);
});

test('of an answer of 100 MB no more is read than its bound and what was on its way', async () => {
  const peer = await startPeer();
  let written = 0;
  let isClosed = false;
  const part = randomBytes(65_536);
  peer.behave = (_request, response, _n, socket) => {
    response.writeHead(200);
    const more = (): void => {
      while (!isClosed && written < 100_000_000) {
        written += part.length;
        if (!response.write(part)) return void response.once('drain', more);
      }
    };
    socket.once('close', () => {
      isClosed = true;
    });
    more();
  };
  const failure = await failureOf(clientFor().send(actionEnvelope(), peerOf(peer)));
  expect(failure).toMatchObject({ reached: true, attempts: 1, httpStatus: 200 });
  expect(await until('the connection is closed', () => isClosed)).toBe(true);
  expect(written).toBeLessThan(50_000_000);
});

test('an answer in parts of one byte is taken whole', async () => {
  const peer = await startPeer();
  peer.behave = async ({ envelope }, _response, _n, socket) => {
    const padding = 'x'.repeat(50_000);
    const text = JSON.stringify(await peer.answer(envelope, { trace: { padding } }));
    const parts = [...Buffer.from(text)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`);
    socket.write(`${OK}transfer-encoding: chunked\r\n\r\n${parts.join('')}0\r\n\r\n`);
  };
  const answer = await clientFor().send(actionEnvelope(), peerOf(peer));
  expect(answer.trace).toEqual({ padding: 'x'.repeat(50_000) });
});

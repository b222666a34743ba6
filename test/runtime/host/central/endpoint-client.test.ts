import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openEndpointClient } from '#runtime/host/central/endpoint-client.js';
import { DestinationRefused } from '#runtime/transport/peer/errors.js';
import { ExchangeFailed } from '#runtime/transport/peer/exchange.js';
import { until } from '../../../support/until.ts';

const BOUND = 1000;

/** A client of a server that answers each connection with these bytes, or with nothing. */
async function facing(bytes: string | undefined, options: { timeoutMs?: number; end?: boolean } = {}) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (bytes !== undefined) socket.write(bytes);
      if (options.end) socket.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/aip/v1/connector-events`;
  const client = openEndpointClient({
    url,
    allowHttp: true,
    allowPrivate: true,
    timeoutMs: options.timeoutMs ?? 5000,
    maxResponseBytes: BOUND,
  });
  onTestFinished(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return { client, sockets };
}

const answer = (length: number, sent = length): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(sent)}`;

test('an answer may have as many bytes as its bound, and not one more, said or unsaid', async () => {
  for (const length of [BOUND - 1, BOUND]) {
    const { client } = await facing(answer(length));
    expect((await client.post('{}')).body).toHaveLength(length);
  }
  const unsaid = `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${'x'.repeat(BOUND + 1)}`;
  for (const bytes of [answer(BOUND + 1, 1), unsaid]) {
    const { client } = await facing(bytes, { end: true });
    const failed = await client.post('{}').catch((error) => error);
    expect(failed).toBeInstanceOf(ExchangeFailed);
    expect(failed.message).toContain('larger than');
  }
});

test.each<[string, string | undefined, boolean]>([
  ['is cut off', answer(100, 50), true],
  ['is never sent, on a connection that stays open', undefined, false],
  ['is only begun, on a connection that stays open', answer(100, 50), false],
  ['is no HTTP', 'hello\r\n\r\n', true],
  ['is no more than the end of the connection', undefined, true],
])('an answer that %s is a failed exchange that may be repeated', async (_what, bytes, end) => {
  const { client, sockets } = await facing(bytes, { timeoutMs: 2000, end });
  const failed = await client.post('{}').catch((error) => error);
  expect(failed).toBeInstanceOf(ExchangeFailed);
  expect(failed.reached).toBe(true);
  await until('the connection is given up', () => sockets.every((socket) => socket.destroyed || socket.readableEnded));
});

test('a redirect is an answer like any other; nothing goes where it leads', async () => {
  let led = 0;
  const elsewhere: Server = createServer((_request, response) => {
    led += 1;
    response.end();
  });
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
  onTestFinished(() => new Promise((done) => elsewhere.close(() => done())));
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  for (const status of [301, 302, 303, 307, 308]) {
    const { client } = await facing(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    expect((await client.post('{}')).status).toBe(status);
  }
  expect(led).toBe(0);
});

test('an address outside the public internet and plain http are refused unless they are allowed', async () => {
  const { client: allowed } = await facing(answer(2));
  for (const { allowHttp, allowPrivate } of [
    { allowHttp: false, allowPrivate: true },
    { allowHttp: true, allowPrivate: false },
  ]) {
    const client = openEndpointClient({
      url: allowed.url,
      allowHttp,
      allowPrivate,
      timeoutMs: 1000,
      maxResponseBytes: BOUND,
    });
    await expect(client.post('{}')).rejects.toBeInstanceOf(DestinationRefused);
    await client.close();
  }
});

import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { trustedFetch } from '#cli/client/trusted-fetch.js';
import { until } from '../../support/until.ts';

test('the command line closes an idle connection long before the gateway would', async () => {
  const server = createServer({ keepAliveTimeout: 75_000 }, (_request, response) => response.end('{}'));
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const open = (): Promise<TLSSocket> =>
    new Promise((done, fail) => {
      const socket = connect(port, '127.0.0.1', () => done(socket as TLSSocket)).once('error', fail);
    });
  const { fetch, close } = trustedFetch({ connect: open });
  try {
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    await until(
      'the client has closed what it does not use',
      () => sockets.every(({ destroyed }) => destroyed),
      30_000,
    );
    expect(sockets).toHaveLength(1);
  } finally {
    await close();
    server.close();
  }
});

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, freePortsFrom } from '#runtime/postgres/free-port.js';

async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}

test('a free port is one that the system gives to no connection and to no listener on port 0', async () => {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768 60999');
  const [first = 0] = range.trim().split(/\s+/).map(Number);
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  for (const port of ports) {
    expect(port).toBeLessThan(first);
    await listening(port);
  }
});

test('calls give different ports, also while the ones before are not listened on, and skip those in use', async () => {
  const earlier = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  expect(new Set(earlier).size).toBe(100);
  const before = await freePort();
  // Another program that has it already will do as well.
  await listening(before + 1).catch(() => undefined);
  expect([...earlier, before, before + 1]).not.toContain(await freePort());
});

test.runIf(process.platform === 'linux')(
  'two programs that begin at the same port get different ones, though neither listens yet',
  async () => {
    const [one, other] = [freePortsFrom(9000), freePortsFrom(9000)];
    const ports = [await one(), await other(), await one(), await other()];
    expect(new Set(ports).size).toBe(4);
  },
);

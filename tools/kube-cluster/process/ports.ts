import { createServer } from 'node:net';

/** Below the range that the kernel gives to outgoing connections, and below NodePorts: a freed port stays free until its server is back. */
const FIRST = 20_000;
const COUNT = 9_000;

/** `count` different loopback ports on which nothing listens. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

/** Can a loopback port be listened on? */
export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => done(true)));
  });
}

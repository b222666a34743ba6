import { createServer } from 'node:net';

/** Below the range from which systems give ports to connections and to listeners on port 0 (32768 on Linux, 49152 elsewhere). */
const FIRST = 20_000;
const COUNT = 10_000;
/** Ports that lie between the first ones of two processes with neighbouring ids. */
const STRIDE = 16;

let next = (process.pid * STRIDE) % COUNT;

/**
 * A loopback port that is free now and that the system gives to no other program before, or between, the times it is listened on. Calls of one
 * process give different ports, and processes begin at different ones.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports ${FIRST} to ${FIRST + COUNT - 1} is free on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.unref();
    server.once('error', () => done(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => done(true)));
  });
}

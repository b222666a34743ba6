import { createServer, type ListenOptions, type Server } from 'node:net';
import { after } from '../time/timer.js';

/** Below the range from which systems give ports to connections and to listeners on port 0 (32768 on Linux, 49152 elsewhere). */
const FIRST = 20_000;
const COUNT = 10_000;
/** Ports that lie between the first ones of two processes with neighbouring ids. */
const STRIDE = 16;
/** How long a port stays claimed: until then the program that is to listen on it has started. */
const CLAIMED_MS = 60_000;

/**
 * Finds loopback ports, from the one numbered `next` on, that are free now and that the system gives to no other program before, or between, the times
 * they are listened on. Calls give different ports, those of other processes too: on Linux a port is claimed for a minute.
 */
export function freePortsFrom(next: number): () => Promise<number> {
  let offset = next % COUNT;
  return async () => {
    for (let tried = 0; tried < COUNT; tried += 1) {
      const port = FIRST + offset;
      offset = (offset + 1) % COUNT;
      if ((await claim(port)) && (await isFree(port))) return port;
    }
    throw new Error(`none of the ports ${FIRST} to ${FIRST + COUNT - 1} is free on 127.0.0.1`);
  };
}

/** A free loopback port. Processes begin at different ones. */
export const freePort = freePortsFrom(process.pid * STRIDE);

/** Claims a port among the programs of this machine by a name that ends with the process: a socket that is in no folder, which Linux alone has. */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const server = await listening({ path: `\0aip-port-${port}` });
  if (server) after(CLAIMED_MS, () => server.close(), { ref: false });
  return server !== undefined;
}

function isFree(port: number): Promise<boolean> {
  return canListen({ host: '127.0.0.1', port, exclusive: true });
}

/** Whether a server can listen there now; nothing of the try is left. */
export async function canListen(options: ListenOptions): Promise<boolean> {
  const server = await listening(options);
  if (server) await new Promise<void>((done) => server.close(() => done()));
  return server !== undefined;
}

/** A server that listens there and keeps no process alive; undefined where that is taken. */
function listening(options: ListenOptions): Promise<Server | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.unref();
    server.once('error', () => done(undefined));
    server.listen(options, () => done(server));
  });
}

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a database that can fall silent as a suspended server does: connections stand, and nothing comes any more. */
export interface SilentProxy {
  /** The address of the database by this way. */
  readonly url: string;
  silence(): void;
  /** What comes from now on passes again; what stood in silence is cut. */
  resume(): void;
  close(): Promise<void>;
}

/** Opens a way to the PostgreSQL server of `url`. */
export async function silentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url);
  const pairs = new Set<[Socket, Socket]>();
  let silent = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.on('data', (part) => silent || far.write(part));
    far.on('data', (part) => silent || near.write(part));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const way = new URL(url);
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = (): void => {
    for (const [near] of [...pairs]) near.destroy();
  };
  return {
    url: way.href,
    silence: () => {
      silent = true;
    },
    resume: () => {
      cut();
      silent = false;
    },
    close: async () => {
      cut();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

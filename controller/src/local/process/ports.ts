import { createServer } from 'node:net';
import { freePort } from '@aip/runtime/internal/embedded';
import { NamedError } from '@aip/runtime/internal/protocol';

/** The port can't be listened on. */
function portInUse(port: number, flag: string): NamedError {
  return new NamedError(`Port ${port} is in use on this machine; name another with ${flag}, or 0 for any free one.`, {
    name: 'PortInUse',
  });
}

/** Checks that a loopback port is free, or finds a free one for 0. `flag` is the option the user can change it with. */
export async function loopbackPort(port: number, flag: string): Promise<number> {
  if (port === 0) return freePort();
  return new Promise((done, fail) => {
    const server = createServer();
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'EADDRINUSE' || error.code === 'EACCES' ? portInUse(port, flag) : error),
    );
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => done(port)));
  });
}

/** `count` different free loopback ports. */
export async function freePorts(count: number, taken: ReadonlySet<number> = new Set()): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = await freePort();
    if (!taken.has(port)) found.add(port);
  }
  return [...found];
}

/** Is a loopback port free? */
export async function isFree(port: number): Promise<boolean> {
  try {
    await loopbackPort(port, '');
    return true;
  } catch {
    return false;
  }
}

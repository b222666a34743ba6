import type { Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import { after, every } from '../../time/timer.js';

/** How often a closing server closes connections that became idle, in milliseconds. */
const SWEEP_MS = 20;
/** After answers began to end their connections, a request may still be on its way on one that is idle, for this long in milliseconds. */
const LAST_REQUEST_MS = 200;

/** How a server ends without breaking a connection on which a request arrives. */
export interface Closing {
  /** Counts a response that is open now. */
  answering(response: ServerResponse): void;
  /** From now on every answer ends its connection, those of open requests too. */
  leave(): void;
  /** Stops accepting, lets open requests finish for at most `graceMs`, then cuts what is left, upgraded connections too. */
  close(graceMs: number): Promise<void>;
}

/** The end of `server`. */
export function closingOf(server: Server | TlsServer): Closing {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const open = new Set<ServerResponse>();
  let leftAt: number | undefined;
  const endConnection = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  const leave = (): void => {
    if (leftAt !== undefined) return;
    leftAt = performance.now();
    for (const response of open) endConnection(response);
  };
  return {
    answering: (response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
      if (leftAt !== undefined) endConnection(response);
    },
    leave,
    close: async (graceMs) => {
      leave();
      // The server's own close would close idle connections as well, with what has arrived on them and was not read yet.
      const closed = new Promise<void>((done) => NetServer.prototype.close.call(server, () => done()));
      const sweepsFrom = (leftAt ?? 0) + LAST_REQUEST_MS;
      const stopSweeps = every(SWEEP_MS, () => {
        if (performance.now() < sweepsFrom) return;
        // By then this iteration of the event loop has read what had arrived.
        setImmediate(() => server.closeIdleConnections());
      });
      const cancelCut = after(graceMs, () => {
        for (const socket of sockets) socket.destroy();
      });
      await closed;
      stopSweeps();
      cancelCut();
      server.close(() => undefined);
      for (const socket of sockets) socket.destroy();
    },
  };
}

import { connect, type Socket } from 'node:net';

/** Followers that one process opens on a gateway. */
export interface FollowOrder {
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly count: number;
}

/** What the process reports: how many streams are open, then milliseconds from commit to client of what came since the last report. */
export type FollowReport = { readonly opened: number } | { readonly times: number[] } | { readonly failed: string };

/** Streams that are opened at the same time. */
const OPENING = 64;
const SENT = /"sent_ns":"(\d+)"/g;

/**
 * Opens followers over plain sockets: a client that costs little, so that what is measured is the gateway. Each event says when it was sent, by the
 * clock that all processes of a machine share.
 */
async function run({ url, token, path, count }: FollowOrder): Promise<void> {
  const { hostname, port } = new URL(url);
  let times: number[] = [];
  let opened = 0;
  const sockets: Socket[] = [];
  const follow = (): Promise<void> =>
    new Promise((done, fail) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      let open = false;
      socket.setNoDelay(true);
      socket.once('error', fail);
      socket.once('close', () => fail(new Error('a stream was closed')));
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
      );
      socket.on('data', (bytes) => {
        const now = process.hrtime.bigint();
        text += bytes.toString('latin1');
        if (!open) {
          if (!text.includes('\r\n\r\n')) return;
          if (!text.startsWith('HTTP/1.1 200')) fail(new Error(`a follower was answered ${text.slice(0, 400)}`));
          open = true;
          opened += 1;
          done();
        }
        const end = text.lastIndexOf('\n\n');
        if (end < 0) return;
        for (const [, sent] of text.slice(0, end).matchAll(SENT))
          times.push(Number(now - BigInt(sent as string)) / 1e6);
        text = text.slice(end);
      });
      sockets.push(socket);
    });
  const failed = (error: unknown): void => {
    process.send?.({ failed: (error as Error).message } satisfies FollowReport);
    process.disconnect();
    for (const socket of sockets) socket.destroy();
  };
  let begun = 0;
  const opener = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await follow();
    }
  };
  await Promise.all(Array.from({ length: OPENING }, opener)).catch(failed);
  if (!process.connected) return;
  process.send?.({ opened } satisfies FollowReport);
  process.on('message', () => {
    process.send?.({ times } satisfies FollowReport);
    times = [];
  });
  process.once('disconnect', () => {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  });
}

process.once('message', (order) => void run(order as FollowOrder));

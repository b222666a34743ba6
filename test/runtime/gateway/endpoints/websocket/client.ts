import { once } from 'node:events';
import { WebSocket } from 'ws';
import { until } from '../../../../support/until.ts';

/** One response of a subscription or to an envelope, as it came. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export type Received = Record<string, any>;

/** A WebSocket client of one test. */
export interface Client {
  readonly socket: WebSocket;
  /** Every text frame so far. */
  readonly frames: Received[];
  /** Frames of one subscription. */
  of(subscriptionId: string): Received[];
  send(value: unknown): void;
  /** Waits until `state` of the frames is truthy and returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test looks for
  waitFor(what: string, state: (client: Client) => any): Promise<any>;
  /** Resolves with the close code when the connection is closed. */
  readonly closed: Promise<number>;
  close(): Promise<void>;
}

/** Connects to a gateway's WebSocket route. Rejects with the status when the upgrade is refused. */
export async function connect(
  url: string,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<Client> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/aip/v1/ws`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
  const frames: Received[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
  const closed = new Promise<number>((done) => socket.once('close', (code) => done(code)));
  await once(socket, 'open');
  const client: Client = {
    socket,
    frames,
    of: (subscriptionId) => frames.filter((frame) => frame.trace?.websocket?.subscription_id === subscriptionId),
    send: (value) => socket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    waitFor: (what, state) => until(what, () => state(client)),
    closed,
    close: async () => {
      socket.close();
      await closed;
    },
  };
  return client;
}

/** The ids of the events in a frame's body. */
export function eventIds(frame: Received): string[] {
  const { events } = frame.body.action_events ?? frame.body.event_stream;
  return events.map((event: { id: string }) => event.id);
}

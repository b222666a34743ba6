import { connect, type NatsConnection } from '@nats-io/transport-node';
import { doubling, jittered } from '../../time/retry.js';
import { waited } from '../../time/wait.js';
import type { Logger } from '../process/logger.js';

/** How long one attempt to connect may take, and the pauses between attempts, in milliseconds. */
const CONNECT_MS = 5000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** A server that does not answer two pings is taken for dead. */
const PING_MS = 10_000;

/** Where the broker is and how to get in. */
export interface BrokerAddress {
  readonly servers: readonly string[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM certificates trusted for tls:// servers besides the public roots. */
  readonly tlsCa?: (() => string | undefined) | undefined;
}

/** A connection that is there whenever the broker is. */
export interface BrokerConnection {
  /** Whether the broker is connected now. */
  up(): boolean;
  /** The connection, as soon as there is one. */
  connected(): Promise<NatsConnection>;
  close(): Promise<void>;
}

/** What a connection needs. `opened` runs for each new connection, before anybody gets it. */
export interface BrokerConnectionOptions {
  readonly address: BrokerAddress;
  readonly name: string;
  readonly opened?: ((connection: NatsConnection) => void) | undefined;
  readonly log: Logger;
}

/**
 * Connects to the broker and stays connected: an outage is waited for, however long; the client keeps its subscriptions
 * over it. A connection that ended permanently, as after a refused login, is opened again.
 */
export function openBrokerConnection(options: BrokerConnectionOptions): BrokerConnection {
  const { address, name, opened, log } = options;
  const closing = new AbortController();
  let current: NatsConnection | undefined;
  let isUp = false;
  let next = Promise.withResolvers<NatsConnection>();
  next.promise.catch(() => undefined);

  const watch = async (connection: NatsConnection): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        isUp = false;
        log.warn({ server: connection.getServer() }, 'broker connection lost');
      }
      if (type === 'reconnect') {
        isUp = true;
        log.info({ server: connection.getServer() }, 'broker connected again');
      }
    }
  };

  // No poll loop: an iteration lasts as long as its connection, and its end is a failure that nothing is logged of twice.
  const run = async (): Promise<void> => {
    const pauseMs = doubling(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    for (let attempt = 0; !closing.signal.aborted; attempt += 1) {
      try {
        const { username, password } = address;
        const ca = address.tlsCa?.();
        const connection = await connect({
          servers: [...address.servers],
          name,
          timeout: CONNECT_MS,
          reconnect: true,
          maxReconnectAttempts: -1,
          reconnectTimeWait: FIRST_PAUSE_MS,
          pingInterval: PING_MS,
          ...(username !== undefined && { user: username, pass: password }),
          ...(ca !== undefined && { tls: { ca } }),
        });
        opened?.(connection);
        current = connection;
        isUp = true;
        attempt = 0;
        next.resolve(connection);
        log.info({ server: connection.getServer() }, 'broker connected');
        void watch(connection);
        const error = await connection.closed();
        if (!closing.signal.aborted) log.warn({ err: error }, 'broker connection ended; connecting again');
      } catch (error) {
        if (attempt === 0) log.warn({ err: error }, 'broker cannot be reached; trying again');
      }
      isUp = false;
      current = undefined;
      if (closing.signal.aborted) return;
      next = Promise.withResolvers<NatsConnection>();
      next.promise.catch(() => undefined);
      await waited(jittered(pauseMs(attempt), 0.2), closing.signal);
    }
  };
  const running = run();

  return {
    up: () => isUp,
    connected: async () => current ?? next.promise,
    close: async () => {
      closing.abort();
      next.reject(new Error('the broker connection is closed'));
      await current?.close();
      await running;
    },
  };
}

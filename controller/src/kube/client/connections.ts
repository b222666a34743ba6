import { type Connection, connectionFor } from './connection.js';
import type { KubeSource } from './credentials.js';
import { readCredentials } from './read-credentials.js';

/** Credentials are read again after this time, as client-go does: the kubelet rotates tokens long before they end. */
const CREDENTIALS_MS = 60_000;

/** Connections to one API server, under the credentials that its source names at the time. */
export interface Connections {
  readonly namespace: string;
  /** The connection to use; with `fresh` the credentials are read again before. */
  current(fresh: boolean): Promise<Connection>;
  /** Ends all connections, also those under earlier credentials; what is under way fails. */
  close(): Promise<void>;
}

/** Reads the credentials of a source and opens connections for them. Throws KubeConfigInvalid. */
export async function openConnections(source: KubeSource): Promise<Connections> {
  const opened = new Set<Connection['close']>();
  let connection = connectionFor(await readCredentials(source), undefined);
  let readAt = performance.now();
  let reading: Promise<void> | undefined;
  opened.add(connection.close);

  const refresh = async (): Promise<void> => {
    const before = connection;
    connection = connectionFor(await readCredentials(source), before);
    if (connection.close === before.close) return;
    opened.add(connection.close);
    // A graceful end: requests and watches that are under way keep the old settings until they are done.
    void Promise.allSettled([before.calls.close(), before.watches.close()]).then(() => opened.delete(before.close));
  };
  return {
    namespace: connection.credentials.namespace,
    current: async (fresh) => {
      if (fresh || performance.now() - readAt > CREDENTIALS_MS) {
        // What cannot be read now may still be good as it is; when it is not, the answer says so.
        reading ??= refresh()
          .catch(() => undefined)
          .finally(() => {
            readAt = performance.now();
            reading = undefined;
          });
        if (fresh) await reading;
      }
      return connection;
    },
    close: async () => {
      await Promise.all([...opened].map((close) => close()));
    },
  };
}

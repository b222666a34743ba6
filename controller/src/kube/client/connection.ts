import { createHash } from 'node:crypto';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Credentials } from './credentials.js';

/** Connections for ordinary requests; watches have their own, so that they never keep a request waiting. */
const CALLS = 16;
/** Each watch takes a connection for as long as it lasts, and there are seven a watched namespace: a bound would keep the last ones waiting for ever. */
const WATCHES = null;
/** How long an unused connection is kept, in ms: less than the 60 s after which load balancers cut silently. */
const KEEP_MS = 30_000;
const CONNECT_MS = 10_000;

/** Open connections to one API server under one set of TLS settings. */
export interface Connection {
  readonly credentials: Credentials;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
  /** Ends every connection, also those in use. */
  close(): Promise<void>;
}

/** Connections for these credentials; `known` continues being used when only headers, such as a token, have changed. */
export function connectionFor(credentials: Credentials, known: Connection | undefined): Connection {
  if (known && identityOf(known.credentials) === identityOf(credentials)) return { ...known, credentials };
  const calls = open(credentials, CALLS);
  const watches = open(credentials, WATCHES);
  return {
    credentials,
    calls,
    watches,
    close: async () => {
      await Promise.all([calls.destroy(), watches.destroy()]);
    },
  };
}

function identityOf({ origin, proxy, tls }: Credentials): string {
  const hash = createHash('sha256').update(JSON.stringify([origin, proxy, tls.servername, tls.rejectUnauthorized]));
  for (const secret of [tls.ca, tls.cert, tls.key]) hash.update('\0').update(secret ?? '');
  return hash.digest('hex');
}

/** `connections`: how many at most; null for as many as are needed. */
function open({ origin, proxy, tls }: Credentials, connections: number | null): Dispatcher {
  const common = { connections, pipelining: 1, allowH2: false, keepAliveTimeout: KEEP_MS } as const;
  if (proxy !== undefined) return new ProxyAgent({ ...common, uri: proxy, requestTls: tls, proxyTunnel: true });
  return new Pool(origin, { ...common, connect: { ...tls, timeout: CONNECT_MS, keepAlive: true } });
}

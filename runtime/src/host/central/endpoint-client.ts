import { type Destination, destinationPolicy } from '../../transport/peer/destination.js';
import { type ExchangeAnswer, exchange } from '../../transport/peer/exchange.js';
import { type ExtraRoots, openPoolCache } from '../../transport/peer/pools.js';

/** One fixed URL that a host posts JSON to. */
export interface EndpointClient {
  readonly url: string;
  /** Posts JSON text; the answer is complete and at most the configured size. Throws ExchangeFailed, DestinationRefused, PeerTransportFailed. */
  post(
    body: string,
    options?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Omit<ExchangeAnswer, 'headers'> & Partial<ExchangeAnswer>>;
  /** Resolves the name and checks the address without sending anything. */
  admit(): Promise<Destination>;
  close(): Promise<void>;
}

/** What an endpoint client is made of. Times in milliseconds, sizes in bytes. */
export interface EndpointOptions {
  url: string;
  allowHttp: boolean;
  /** Admits addresses outside the public internet. */
  allowPrivate: boolean;
  timeoutMs: number;
  maxResponseBytes: number;
  tlsCa?: ExtraRoots | undefined;
}

/** Opens a client whose only admitted destination is the host of `url`; the address is resolved before each post and pinned; no redirects. */
export function openEndpointClient(options: EndpointOptions): EndpointClient {
  const { url, timeoutMs, maxResponseBytes } = options;
  const policy = destinationPolicy({
    hosts: [new URL(url).hostname],
    allowHttp: options.allowHttp,
    allowPrivate: options.allowPrivate,
  });
  const pools = openPoolCache({ capacity: 4, connectTimeoutMs: timeoutMs, tlsCa: options.tlsCa });
  return {
    url,
    post: async (body, { headers, signal } = {}) => {
      const destination = await policy.admit(url);
      return exchange(pools.poolFor(destination), {
        origin: destination.origin,
        path: destination.path,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body,
        timeoutMs,
        maxBytes: maxResponseBytes,
        signal,
      });
    },
    admit: () => policy.admit(url),
    close: pools.close,
  };
}

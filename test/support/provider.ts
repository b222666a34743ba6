import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A payment that the provider made. */
export interface Payment {
  readonly key: string;
  readonly amount: number;
}

/**
 * A provider over HTTP, as payment providers are: a request with an idempotency key pays once, one without pays each time it comes. It
 * lives in the test's own process, so that no crash of the fleet touches what it remembers.
 */
export interface Provider {
  readonly url: string;
  /** Each payment that was really made, in order. */
  readonly payments: readonly Payment[];
  /** Keys of the requests to pay, also of those that paid nothing new. */
  readonly requests: readonly string[];
  /** Runs before a payment is made and after it, before its answer; a test may hold it there. */
  before: (key: string) => Promise<void>;
  after: (key: string) => Promise<void>;
  close(): Promise<void>;
}

/** Starts a provider on a free port of loopback. */
export async function startProvider(): Promise<Provider> {
  const byKey = new Map<string, Payment>();
  const payments: Payment[] = [];
  const requests: string[] = [];
  const nothing = async (): Promise<void> => undefined;

  const pay = async (payment: Payment, once: boolean, left: () => boolean): Promise<Payment | undefined> => {
    requests.push(payment.key);
    await provider.before(payment.key);
    if (left()) return undefined;
    const known = once ? byKey.get(payment.key) : undefined;
    if (!known) {
      byKey.set(payment.key, payment);
      payments.push(payment);
    }
    await provider.after(payment.key);
    return known ?? payment;
  };
  const server = createServer(async (request, response) => {
    let left = false;
    response.once('close', () => {
      left = true;
    });
    let text = '';
    for await (const part of request) text += part;
    const key = decodeURIComponent((request.url ?? '').slice(1));
    const once = request.headers['idempotency-key'] !== undefined;
    const payment =
      request.method === 'POST'
        ? await pay({ key, amount: JSON.parse(text).amount }, once, () => left)
        : byKey.get(key);
    response.writeHead(payment ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(payment ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const provider: Provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payments,
    requests,
    before: nothing,
    after: nothing,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  return provider;
}

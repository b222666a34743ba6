import { createHmac, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startTestbed, type Testbed, type TestbedOptions } from '../../support/testbed.ts';

const P = 'AIP_CONNECTOR_HOST_';
export const SECRET = '0123456789abcdef';

/** Seconds since the epoch. */
export const nowS = (): number => Math.floor(Date.now() / 1000);

/** The signature header of a delivery. */
export function signatureOf(
  body: string | Buffer,
  timestamp: string | number,
  secret: string | Buffer = SECRET,
): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** One delivery; what is not given is made so that the host accepts it. A header of `null` is left out. */
export interface DeliveryOptions {
  id?: string | null;
  timestamp?: string | number | null;
  signature?: string | null;
  secret?: string | Buffer;
  headers?: Record<string, string>;
  url?: string;
  signal?: AbortSignal;
}

export interface DeliveryAnswer {
  status: number;
  text: string;
  body: { accepted_events?: number; central_delivery?: string | null; error?: { code: string } };
}

/** The answer to a delivery that is taken. The gateway has the event already, unless it took longer than the host waits for it. */
export const ACCEPTED = {
  accepted_events: 1,
  central_delivery: expect.stringMatching(/^(centrally_acknowledged|durably_queued)$/),
};

/** Sends one delivery to `origin`. */
export async function deliver(
  origin: string,
  payload: string | Buffer | object,
  options: DeliveryOptions = {},
): Promise<DeliveryAnswer> {
  const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
  const { id = randomUUID(), timestamp = nowS() } = options;
  const { signature = signatureOf(body, timestamp ?? '', options.secret) } = options;
  const headers = Object.entries({
    'x-chatwoot-delivery': id,
    'x-chatwoot-timestamp': timestamp === null ? null : String(timestamp),
    'x-chatwoot-signature': signature,
    'content-type': 'application/json',
    ...options.headers,
  }).filter((header): header is [string, string] => header[1] !== null);
  const response = await fetch(options.url ?? `${origin}/webhooks/chatwoot`, {
    method: 'POST',
    headers,
    body,
    ...(options.signal && { signal: options.signal }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

/** The contract's own shape of a delivery. */
export const delivery = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  event: 'message_created',
  account: { id: 1 },
  conversation: { id: 31 },
  message: { id: 9001, content: 'Where is my parcel?', content_attributes: {} },
  contact: { id: 77 },
  ...over,
});

/** A host with the Chatwoot connector and a webhook secret. */
export interface WebhookHost extends Testbed {
  readonly secrets: string;
  deliver(payload: string | Buffer | object, options?: DeliveryOptions): Promise<DeliveryAnswer>;
  /** The replay rows by hash. */
  replay(): Promise<{ namespace: string; scope: string; delivery_hash: string; signed_at: number }[]>;
  events(): Promise<Record<string, unknown>[]>;
  outbox(): Promise<{ key: string; channel_id: string; attempts: number; parked_at: number | null }[]>;
}

export async function startWebhookHost(
  options: TestbedOptions & { secrets?: Record<string, string | Buffer>; config?: Record<string, unknown> } = {},
): Promise<WebhookHost> {
  const { idle = false, waitReady = true } = options;
  const testbed = await startTestbed({ ttlMs: 60_000, agentId: 'agent:chatwoot:1', ...options, idle: true });
  const secrets = join(testbed.folder, 'secrets');
  await mkdir(secrets, { mode: 0o700 });
  for (const [name, value] of Object.entries(options.secrets ?? { 'api-token': 'token-1', 'webhook-secret': SECRET }))
    await writeFile(join(secrets, name), value, { mode: 0o600 });
  Object.assign(testbed.env, {
    [`${P}CONNECTOR`]: 'chatwoot',
    [`${P}CONFIG`]: JSON.stringify({
      base_url: 'http://127.0.0.1:9',
      account_id: 1,
      health: 'none',
      ...options.config,
    }),
    [`${P}SECRETS_DIR`]: secrets,
    ...options.env,
  });
  const rows = async <T extends object>(text: string): Promise<T[]> => (await testbed.pool.query<T>(text)).rows;
  const host: WebhookHost = Object.assign(testbed, {
    secrets,
    deliver: (payload: string | Buffer | object, how?: DeliveryOptions) => deliver(testbed.host.url, payload, how),
    replay: () =>
      rows<Awaited<ReturnType<WebhookHost['replay']>>[number]>(
        'SELECT namespace, scope, delivery_hash, signed_at FROM aip_host.webhook_replay ORDER BY signed_at, entry',
      ),
    events: async () =>
      (await rows<{ event: Record<string, unknown> }>('SELECT event FROM aip_host.events ORDER BY appended_at')).map(
        ({ event }) => event,
      ),
    outbox: () =>
      rows<Awaited<ReturnType<WebhookHost['outbox']>>[number]>(
        'SELECT key, channel_id, attempts, parked_at FROM aip_host.outbox',
      ),
  });
  if (!idle) {
    await testbed.start();
    if (waitReady) await testbed.ready();
  }
  return host;
}

import { expect, test } from 'vitest';
import type { EndpointClient } from '#runtime/host/central/endpoint-client.js';
import type { HostConfig } from '#runtime/host/config/config.js';
import type { Batch, Outbox } from '#runtime/host/outbox/outbox.js';
import { openEventPublisher } from '#runtime/host/outbox/publisher.js';
import { decodeEnvelope, type Envelope, replyEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { ConnectorEventRoute, Event, Manifest, Principal } from '#runtime/protocol/types.js';
import { ExchangeFailed } from '#runtime/transport/peer/exchange.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { REFUSED } from '../support/ingress.ts';

const NOW = Date.UTC(2026, 0, 2);
const [hostKey, centralKey] = [signingKeyFromSeed(newSeedHex()), signingKeyFromSeed(newSeedHex())];
const principal: Principal = { id: 'agent:demo:test', kind: 'agent', trust_domain: 'fleet.test' };
const gateway = { id: 'service:central', kind: 'service' as const, trust_domain: 'fleet.test' };
const event: Event = { id: 'evt_1', kind: 'demo.happened', occurred_at: '2026-07-09T00:00:00Z', data: {} };
const batchOf = (n: number, over: Partial<Batch> = {}): Batch => ({
  key: `key_${n}`,
  channelId: 'news',
  events: [event],
  attempts: 0,
  refusals: 0,
  ...over,
});

interface Outcome {
  key: string;
  became: 'delivered' | 'postponed' | 'parked';
  reason?: string;
  refused?: boolean;
  inMs?: number;
}

/** Works on these batches once; `answer` stands for the central server. Tells what became of each, and what was sent. */
async function worked(
  batches: Batch[],
  answer: (envelope: Envelope, n: number) => Promise<{ status: number; body: Buffer }>,
  over: { leaseSequence?: () => number | undefined; clock?: () => number } = {},
): Promise<{ outcomes: Outcome[]; sent: Envelope[] }> {
  const outcomes: Outcome[] = [];
  const sent: Envelope[] = [];
  let taken: Batch[] | undefined = batches;
  let looks = 0;
  const outbox = {
    take: async () => {
      looks += 1;
      const given = taken ?? [];
      taken = undefined;
      return given;
    },
    delivered: async (key: string) => void outcomes.push({ key, became: 'delivered' }),
    postpone: async (key: string, { reason, refused }: { reason: string; refused: boolean }, at: number) =>
      void outcomes.push({ key, became: 'postponed', reason, refused, inMs: at - NOW }),
    park: async (key: string, reason: string) => void outcomes.push({ key, became: 'parked', reason }),
    next: async () => null,
    stage: async () => undefined,
  } as unknown as Outbox;
  const endpoint = {
    post: async (text: string) => {
      const envelope = decodeEnvelope(parseJson(text));
      sent.push(envelope);
      return answer(envelope, sent.length);
    },
  } as unknown as EndpointClient;
  const publisher = openEventPublisher({
    endpoint,
    outbox,
    config: {
      tenant: { id: 'tenant-a' },
      instanceId: 'cinst_a',
      replicaId: 'crepl_a',
      versionId: 'cver_a',
    } as HostConfig,
    central: { principal: gateway, dids: () => [centralKey.did] },
    manifest: { channels: ['news'] } as unknown as Manifest,
    manifestDigest: `sha256:${'ab'.repeat(32)}`,
    signer: { principal, key: hostKey },
    leaseSequence: over.leaseSequence ?? (() => 7),
    clock: over.clock ?? (() => NOW),
    log: openLogger({ component: 'test', level: 'silent' }),
  });
  const ending = new AbortController();
  const work = publisher.work(ending.signal);
  // The round after this one begins when it is over; a publication wakes the worker.
  await until('the round is over', async () => {
    await publisher.publish('news', [event]);
    return looks > 1;
  });
  ending.abort();
  await work;
  // Batches taken together are attempted together: they end in any order.
  outcomes.sort((a, b) => a.key.localeCompare(b.key, 'en', { numeric: true }));
  return { outcomes, sent };
}

const status = (code: number) => async () => ({ status: code, body: Buffer.from(REFUSED) });
const honest = async (envelope: Envelope) => {
  const { events } = (envelope.body as { event_stream: { events: Event[] } }).event_stream;
  const reply = replyEnvelope(envelope, { event_stream: { events } }, { clock: () => NOW, from: gateway });
  return { status: 200, body: Buffer.from(JSON.stringify(await signEnvelope(reply, gateway, centralKey))) };
};

test.each([400, 413, 415])('a status of %i puts a batch aside at once', async (code) => {
  const { outcomes } = await worked([batchOf(1)], status(code));
  expect(outcomes).toEqual([{ key: 'key_1', became: 'parked', reason: `status ${code} auth.not_authorized: refused` }]);
});

test.each([401, 403, 404, 405, 410])('a status of %i puts a batch aside at its fifth refusal', async (code) => {
  const earlier = [0, 1, 2, 3, 4].map((refusals) => batchOf(refusals, { refusals, attempts: 20 }));
  const { outcomes } = await worked(earlier, status(code));
  expect(outcomes.map(({ became, refused }) => [became, refused])).toEqual([
    ...Array(4).fill(['postponed', true]),
    ['parked', undefined],
  ]);
});

test.each([307, 408, 425, 429, 500, 502, 503, 504])(
  'a status of %i says nothing about a batch, however often',
  async (code) => {
    const { outcomes } = await worked([batchOf(1, { attempts: 1000, refusals: 4 })], status(code));
    expect(outcomes).toMatchObject([
      { became: 'postponed', refused: false, reason: `status ${code} auth.not_authorized: refused` },
    ]);
  },
);

test('attempts are 0.5, 2, 4, 8 … 60 seconds apart, and up to a second more by chance', async () => {
  const batches = [0, 1, 2, 3, 4, 5, 6, 50].map((attempts) => batchOf(attempts, { attempts }));
  const { outcomes } = await worked(batches, async () => {
    throw new ExchangeFailed('hung up', true);
  });
  const least = [500, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000];
  expect(outcomes).toHaveLength(least.length);
  for (const [n, { became, inMs = 0, reason }] of outcomes.entries()) {
    expect([became, reason]).toEqual(['postponed', 'hung up']);
    expect(inMs).toBeGreaterThanOrEqual(least[n] as number);
    expect(inMs).toBeLessThanOrEqual((least[n] as number) + 1000);
  }
});

test('F-042 every attempt is a new envelope with the lease sequence of then', async () => {
  let sequence = 3;
  const { outcomes, sent } = await worked([batchOf(1), batchOf(2)], honest, { leaseSequence: () => sequence++ });
  expect(outcomes.map(({ became }) => became)).toEqual(['delivered', 'delivered']);
  const routes = sent.map(({ security }) => (security as { connector_event: ConnectorEventRoute }).connector_event);
  expect(routes[1]?.lease_sequence).toBeGreaterThan(routes[0]?.lease_sequence as number);
  expect(sent[0]?.message_id).not.toBe(sent[1]?.message_id);
});

test('without a lease nothing is taken and nothing sent', async () => {
  let held = false;
  const { outcomes, sent } = await worked([], honest, {
    leaseSequence: () => {
      const now = held ? 7 : undefined;
      held = true;
      return now;
    },
  });
  expect([outcomes, sent]).toEqual([[], []]);
});

test('batches that are taken together are attempted at the same time, each with its own outcome', async () => {
  const held = Promise.withResolvers<void>();
  const last = async (envelope: Envelope, n: number) => {
    if (n < 4) await held.promise;
    else held.resolve();
    return n === 2 ? { status: 503, body: Buffer.from('{}') } : honest(envelope);
  };
  const { outcomes } = await worked([batchOf(1), batchOf(2), batchOf(3), batchOf(4)], last);
  expect(outcomes.map(({ became }) => became).sort()).toEqual(['delivered', 'delivered', 'delivered', 'postponed']);
});

test('an answer that names other events than the batch has delivers nothing', async () => {
  const other = async (envelope: Envelope) => {
    const events = [{ ...event, id: 'evt_other' }];
    const reply = replyEnvelope(envelope, { event_stream: { events } }, { clock: () => NOW, from: gateway });
    return { status: 200, body: Buffer.from(JSON.stringify(await signEnvelope(reply, gateway, centralKey))) };
  };
  const { outcomes } = await worked([batchOf(1)], other);
  expect(outcomes).toMatchObject([{ became: 'postponed', reason: 'the answer names other events' }]);
});

import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { type SecondHost, startSecond } from './support/two-replicas.ts';
import { deliver, delivery, nowS, signatureOf, startWebhookHost, type WebhookHost } from './support/webhook-host.ts';

let host: WebhookHost;
let second: SecondHost;
beforeAll(async () => {
  host = await startWebhookHost();
  second = await startSecond(host);
});
afterAll(async () => {
  await second?.stop();
  await host?.stop();
});

const DELIVERIES = 200;
/** Deliveries under way at once: more would wait for a connection of the storage for longer than a slow machine allows. */
const AT_ONCE = 20;
const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');

test('P-106 P-058 P-111 P-122 two replicas that get the same delivery at the same time make one event of it, 200 times', async () => {
  const ids = Array.from({ length: DELIVERIES }, () => randomUUID());
  const toBoth = (id: string, n: number): ReturnType<typeof deliver>[] => {
    const body = JSON.stringify(delivery({ message: { content: `message ${n}` } }));
    const timestamp = nowS();
    const options = { id, timestamp, signature: signatureOf(body, timestamp) };
    return [host.host.url, second.host.url].map((url) => deliver(url, body, options));
  };
  const outcomes: string[] = [];
  for (let n = 0; n < DELIVERIES; n += AT_ONCE) {
    const answers = await Promise.all(ids.slice(n, n + AT_ONCE).flatMap((id, m) => toBoth(id, n + m)));
    outcomes.push(...answers.map(({ status, body }) => `${status} ${body.accepted_events}`));
  }
  expect(new Set(outcomes)).toEqual(new Set(['200 1']));
  await until('the outbox is empty', async () => (await host.outbox()).length === 0);

  const events = await host.events();
  expect(events.map(({ id }) => id).sort()).toEqual(ids.map((id) => `evt_chatwoot_${hashOf(id)}`).sort());
  const replay = await host.replay();
  expect(new Set(replay.map(({ delivery_hash }) => delivery_hash))).toEqual(new Set(ids.map(hashOf)));
  const { rows } = await host.pool.query<{ size: number }>('SELECT size FROM aip_host.webhook_replay_sets');
  expect(rows).toEqual([{ size: DELIVERIES }]);

  const published = new Map<string, Set<string>>();
  for (const { event } of host.ingress.events())
    published.set(event.id, (published.get(event.id) ?? new Set()).add(JSON.stringify(event)));
  expect([...published.keys()].sort()).toEqual(events.map(({ id }) => id as string).sort());
  for (const texts of published.values()) expect(texts.size).toBe(1);
});

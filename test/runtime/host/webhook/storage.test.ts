import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Event } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import { startTarget } from '../../gateway/callbacks/support.ts';
import { end } from '../support/host-process.ts';
import { startSecond } from './support/two-replicas.ts';
import {
  ACCEPTED,
  type DeliveryOptions,
  delivery,
  nowS,
  signatureOf,
  startWebhookHost,
  type WebhookHost,
} from './support/webhook-host.ts';

let host: WebhookHost;
beforeAll(async () => {
  host = await startWebhookHost();
});
afterAll(async () => {
  await host?.stop();
});
afterEach(async () => {
  host.ingress.answer = () => 200;
  await host.pool.query(
    'DELETE FROM aip_host.outbox; DELETE FROM aip_host.webhook_replay; DELETE FROM aip_host.webhook_replay_sets',
  );
});

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');
const eventId = (id: string): string => `evt_chatwoot_${hashOf(id)}`;
const kept = async (id: string) => (await host.events()).filter((event) => event.id === eventId(id));
const taken = (id: string): Event[] =>
  host.ingress.events().flatMap(({ event }) => (event.id === eventId(id) ? [event] : []));
/** Headers that can be sent again with the same bytes. */
function same(id = randomUUID()): { body: string; options: DeliveryOptions & { id: string } } {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  return { body, options: { id, timestamp, signature: signatureOf(body, timestamp) } };
}
const due = () => host.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0, lease_expires_at = 0');
const unavailable = [503, '{"error":{"code":"webhook.storage_unavailable"}}'];

test('P-002 P-134 P-113 P-124 a delivery and its duplicate are accepted while the gateway is away, and published later without another webhook', async () => {
  for (const reply of ['hang up', 503] as const) {
    host.ingress.answer = () => reply;
    const id = randomUUID();
    const answer = await host.deliver(delivery(), { id });
    expect([answer.status, answer.body]).toEqual([200, { accepted_events: 1, central_delivery: 'durably_queued' }]);
    const duplicate = await host.deliver(delivery(), { id });
    expect([duplicate.status, duplicate.body]).toEqual([answer.status, answer.body]);
    expect(await host.outbox()).toMatchObject([{ channel_id: 'chatwoot-webhooks' }]);
    expect(taken(id)).toEqual([]);
    host.ingress.answer = () => 200;
    await due();
    await until('it was published', () => taken(id).length === 1);
    await until('the outbox is empty', async () => (await host.outbox()).length === 0);
  }
});

test('a gateway that does not answer delays the answer to the provider by 2 seconds at most', async () => {
  host.ingress.answer = () => 'silence';
  const begun = performance.now();
  const answer = await host.deliver(delivery());
  expect(answer.body.central_delivery).toBe('durably_queued');
  // A provider gives up after 5 seconds.
  expect(performance.now() - begun).toBeLessThan(4500);
});

test('P-104 P-105 the replay set has the namespace of the provider and the scope of the instance', async () => {
  const id = randomUUID();
  const timestamp = nowS() - 17;
  await host.deliver(delivery(), { id, timestamp });
  const instance = host.env.AIP_CONNECTOR_HOST_INSTANCE_ID;
  expect(await host.replay()).toEqual([
    {
      namespace: 'aip.connector.chatwoot.webhook_replay.v1',
      scope: `instance:${instance}`,
      delivery_hash: hashOf(id),
      signed_at: timestamp,
    },
  ]);
  const other = await startSecond(host, {
    AIP_CONNECTOR_HOST_INSTANCE_ID: 'cinst_018f3c0e6b7a7c1d9e2f001122330c03',
    AIP_CONNECTOR_HOST_REPLICA_ID: 'crepl_018f3c0e6b7a7c1d9e2f001122330c03',
  });
  try {
    const { deliver } = await import('./support/webhook-host.ts');
    await deliver(other.host.url, delivery(), { id });
    expect((await host.replay()).map(({ scope }) => scope).sort()).toEqual(
      [`instance:${instance}`, 'instance:cinst_018f3c0e6b7a7c1d9e2f001122330c03'].sort(),
    );
    const { rows } = await host.pool.query('SELECT instance_id FROM aip_host.events WHERE event_id = $1', [
      eventId(id),
    ]);
    expect(rows).toHaveLength(2);
  } finally {
    await other.stop();
  }
});

test('P-110 P-112 P-114 P-123 P-124 P-139 a duplicate is accepted and leads to the first stored event, unchanged', async () => {
  const id = randomUUID();
  await host.deliver(delivery(), { id });
  const [first] = await kept(id);
  const [published] = taken(id);
  const answer = await host.deliver(delivery({ message: { content: 'another text' } }), { id });
  expect([answer.status, answer.body.accepted_events]).toEqual([200, 1]);
  expect(answer.text).not.toContain('webhook_replay');
  expect(await kept(id)).toEqual([first]);
  expect(taken(id)).toEqual([published, published]);
  expect(published).toMatchObject({ data: first?.data });
});

test('P-033 the published event has the actor of the provider in its data', async () => {
  const id = randomUUID();
  await host.deliver(delivery(), { id });
  const [local] = await kept(id);
  const [published] = taken(id);
  expect(local?.actor).toEqual({ id: 'principal:chatwoot:account-1:contact-77', kind: 'contact' });
  expect(published).not.toHaveProperty('actor');
  expect(published?.data).toEqual({ ...(local?.data as object), upstream_actor: local?.actor });
});

test('P-141 an equal body with another identifier is another event', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  for (const id of [one, two]) expect((await host.deliver(delivery(), { id })).body.accepted_events).toBe(1);
  expect([...(await kept(one)), ...(await kept(two))]).toHaveLength(2);
});

test('P-108 entries older than 300 seconds are removed before an insertion; one of exactly 300 seconds stays', async () => {
  await host.deliver(delivery());
  const fill = (age: number) =>
    host.pool.query(
      `INSERT INTO aip_host.webhook_replay (namespace, scope, delivery_hash, signed_at)
       SELECT namespace, scope, $1, $2 FROM aip_host.webhook_replay_sets`,
      [`age-${age}`, nowS() - age],
    );
  for (const age of [200, 301, 400]) await fill(age);
  await host.pool.query('UPDATE aip_host.webhook_replay_sets SET size = size + 3');
  const hashes = async () => (await host.replay()).map(({ delivery_hash }) => delivery_hash);
  await host.deliver(delivery());
  expect((await hashes()).filter((hash) => hash.startsWith('age-'))).toEqual(['age-200']);
  // The clock may pass a second between the two, so the entry of 300 seconds is written in the second of a delivery.
  await until('an entry of exactly 300 seconds stayed', async () => {
    const before = nowS();
    await host.pool.query("DELETE FROM aip_host.webhook_replay WHERE delivery_hash = 'exact'");
    await host.pool.query(
      `INSERT INTO aip_host.webhook_replay (namespace, scope, delivery_hash, signed_at)
       SELECT namespace, scope, 'exact', $1 FROM aip_host.webhook_replay_sets`,
      [before - 300],
    );
    await host.deliver(delivery());
    return nowS() === before && (await hashes()).includes('exact');
  });
});

test('P-109 P-167 10000 identifiers are kept; the next removes the one with the oldest timestamp, whenever it came', async () => {
  const [early, oldest] = [randomUUID(), randomUUID()];
  const timestamp = nowS();
  await host.deliver(delivery(), { id: early, timestamp });
  await host.pool.query(
    `INSERT INTO aip_host.webhook_replay (namespace, scope, delivery_hash, signed_at)
     SELECT namespace, scope, 'filled-' || n, $1 FROM aip_host.webhook_replay_sets, generate_series(1, 9997) AS n`,
    [timestamp],
  );
  await host.pool.query('UPDATE aip_host.webhook_replay_sets SET size = 9998');
  await host.deliver(delivery(), { id: oldest, timestamp: timestamp - 100 });
  const last = randomUUID();
  await host.deliver(delivery(), { id: last, timestamp });
  const hashes = async () => new Set((await host.replay()).map(({ delivery_hash }) => delivery_hash));
  const full = await hashes();
  expect([full.size, full.has(hashOf(oldest)), full.has(hashOf(last))]).toEqual([10_000, true, true]);
  const next = randomUUID();
  await host.deliver(delivery(), { id: next, timestamp });
  const after = await hashes();
  expect([early, oldest, last, next].map((id) => after.has(hashOf(id)))).toEqual([true, false, true, true]);
  expect(after.size).toBe(10_000);
});

test('P-168 a delivery whose attempt wins at the 32nd time is admitted; after 32 lost attempts it is 503', async () => {
  const losing = (attempts: number) => `
    CREATE SEQUENCE aip_host.attempts;
    CREATE FUNCTION aip_host.lose() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF nextval(''aip_host.attempts'') <= ${attempts} THEN RETURN NULL; END IF; RETURN NEW; END';
    CREATE TRIGGER lose BEFORE INSERT ON aip_host.webhook_replay FOR EACH ROW EXECUTE FUNCTION aip_host.lose();`;
  const fair = `DROP TRIGGER lose ON aip_host.webhook_replay; DROP FUNCTION aip_host.lose; DROP SEQUENCE aip_host.attempts;`;
  await host.pool.query(losing(31));
  const id = randomUUID();
  const won = await host.deliver(delivery(), { id });
  await host.pool.query(fair);
  expect(won.status).toBe(200);
  expect((await host.replay()).map(({ delivery_hash }) => delivery_hash)).toEqual([hashOf(id)]);
  await host.pool.query(losing(32));
  const lost = await host.deliver(delivery());
  await host.pool.query(fair);
  expect([lost.status, lost.text]).toEqual(unavailable);
});

test.each([
  ['P-152', 'the replay set', 'webhook_replay_sets'],
  ['P-153 P-136', 'the event log', 'events'],
  ['P-154 P-059 P-137', 'the outbox', 'outbox'],
])('%s a failure of %s is 503; the same delivery after the repair yields one event', async (_id, what, table) => {
  const { body, options } = same();
  await host.pool.query(`ALTER TABLE aip_host.${table} RENAME TO ${table}_away`);
  const answer = await host.deliver(body, options);
  await host.pool.query(`ALTER TABLE aip_host.${table}_away RENAME TO ${table}`);
  expect([answer.status, answer.text]).toEqual(unavailable);
  expect(await kept(options.id)).toHaveLength(what === 'the outbox' ? 1 : 0);
  expect(taken(options.id)).toEqual([]);
  const [before] = await kept(options.id);
  const again = await host.deliver(body, options);
  expect(again.body).toEqual(ACCEPTED);
  const [after] = await kept(options.id);
  if (before) expect(after).toEqual(before);
  await until('the outbox is empty', async () => (await host.outbox()).length === 0);
  expect(taken(options.id)).toHaveLength(1);
});

test('P-170 the 10000th waiting batch is accepted; the next is 503 until one was delivered', async () => {
  host.ingress.answer = () => 'hang up';
  await host.pool.query(
    `INSERT INTO aip_host.outbox (instance_id, key, channel_id, events, created_at, next_attempt_at)
     SELECT $1, 'waiting-' || n, 'chatwoot-webhooks', '[]', 0, 4000000000000 FROM generate_series(1, 9999) AS n`,
    [host.env.AIP_CONNECTOR_HOST_INSTANCE_ID],
  );
  expect((await host.deliver(delivery())).body.central_delivery).toBe('durably_queued');
  const { body, options } = same();
  const full = await host.deliver(body, options);
  expect([full.status, full.text]).toEqual(unavailable);
  expect(await kept(options.id)).toHaveLength(1);
  await host.pool.query("DELETE FROM aip_host.outbox WHERE key = 'waiting-1'");
  host.ingress.answer = () => 200;
  expect((await host.deliver(body, options)).status).toBe(200);
  expect(taken(options.id)).toHaveLength(1);
});

test('P-129 P-130 a batch goes to the configured endpoint at once, and nowhere else', async () => {
  const sent = host.ingress.received.length;
  await host.deliver(delivery());
  expect(host.ingress.received.slice(sent).map(({ path }) => path)).toEqual(['/aip/v1/connector-events']);

  const elsewhere = await startTarget();
  onTestFinished(() => elsewhere.close());
  host.ingress.answer = () => ({ status: 307, text: '', headers: { location: elsewhere.callback.target } });
  const id = randomUUID();
  expect((await host.deliver(delivery(), { id })).body.central_delivery).toBe('durably_queued');
  host.ingress.answer = () => 200;
  await due();
  await until('it was published', () => taken(id).length === 1);
  expect(elsewhere.received).toEqual([]);
});

test('P-107 P-111 P-060 a restart keeps the replay set, the events and what is queued', async () => {
  host.ingress.answer = () => 503;
  const { body, options } = same();
  expect((await host.deliver(body, options)).body.central_delivery).toBe('durably_queued');
  const [replay, events] = [await host.replay(), await kept(options.id)];
  await end(host.host, 'SIGKILL');
  expect([await host.replay(), await kept(options.id)]).toEqual([replay, events]);
  host.ingress.answer = () => 200;
  await due();
  await host.start();
  await host.ready();
  await until('it was published', () => taken(options.id).length === 1);
  expect((await host.deliver(body, options)).body.accepted_events).toBe(1);
  expect(await kept(options.id)).toEqual(events);
  expect(await host.replay()).toEqual(replay);
});

test('P-125 the publisher refuses a channel that the manifest does not declare, and queues nothing', async () => {
  const { openEventPublisher } = await import('#runtime/host/outbox/publisher.js');
  const { openOutbox } = await import('#runtime/host/outbox/outbox.js');
  const { EventUnpublishable } = await import('#runtime/host/outbox/normalize.js');
  const { openHostDatabase } = await import('#runtime/host/database.js');
  const pool = await openHostDatabase(host.databaseUrl, 1);
  const manifest = host.manifest();
  const publisher = openEventPublisher({
    endpoint: undefined,
    outbox: openOutbox({
      pool,
      publisher: {
        principal: manifest.agent,
        tenantId: 'tenant-a',
        instanceId: host.env.AIP_CONNECTOR_HOST_INSTANCE_ID as string,
        replicaId: 'crepl_other',
        versionId: 'cver_a',
      },
      clock: Date.now,
    }),
    manifest,
    leaseSequence: () => 1,
  } as unknown as Parameters<typeof openEventPublisher>[0]);
  const event = { id: 'evt_1', kind: 'chatwoot.channel_message', occurred_at: '2026-07-09T00:00:00Z', data: {} };
  await expect(publisher.submit('twenty-webhooks', [event])).rejects.toThrow(EventUnpublishable);
  await expect(publisher.publish('twenty-webhooks', [event])).rejects.toThrow(EventUnpublishable);
  expect(() => publisher.check('twenty-webhooks', [event])).toThrow(EventUnpublishable);
  expect(await host.outbox()).toEqual([]);
  await pool.close();
});

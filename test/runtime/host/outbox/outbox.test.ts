import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { digestOf } from '#runtime/protocol/digest.js';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Event } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import { end } from '../support/host-process.ts';
import type { IngressReply, Published } from '../support/ingress.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({ ttlMs: 60_000 });
});
afterAll(async () => {
  await testbed?.stop();
});
afterEach(() => {
  testbed.ingress.answer = () => 200;
});

const event = (): Event => ({
  id: newId('event'),
  kind: 'demo.happened',
  occurred_at: '2026-07-09T00:00:00Z',
  data: { n: 1 },
});

async function publish(published: Event): Promise<void> {
  const answer = await testbed.central.send({ capability_id: 'cap:demo:echo', input: { publish_event: published } });
  expect(answer).toMatchObject({ status: 200, result: { status: 'completed' } });
}

const stranger = signingKeyFromSeed(newSeedHex());
const acknowledged = {
  message_type: 'aip.core.v1.ack',
  body: { ack: { action_id: 'act_1', status: 'accepted' } },
} as unknown as Partial<Envelope>;

/** The honest answer without one member. */
async function without(published: Published, member: string): Promise<string> {
  const { [member]: _, ...rest } = JSON.parse(await testbed.ingress.honest(published)) as Record<string, unknown>;
  return JSON.stringify(rest);
}

interface StagedRow {
  attempts: number;
  refusals: number;
  last_error: string | null;
  parked_at: number | null;
}

/** Rows that are still staged. */
async function staged(): Promise<StagedRow[]> {
  const { rows } = await testbed.pool.query<StagedRow>(
    'SELECT attempts, refusals, last_error, parked_at FROM aip_host.outbox',
  );
  return rows;
}
const delivered = (id: string) => testbed.ingress.events().filter((each) => each.event.id === id);
/** Makes what waits due now, so that no test waits for the back-off. */
const due = () => testbed.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0');

test('F-038 F-039 F-040 F-041 F-042 F-043 F-202 F-261 an event goes signed to the events path with the route of the host and the current lease', async () => {
  const one = event();
  await publish(one);
  const [taken] = await until('it arrived', () => delivered(one.id).length > 0 && delivered(one.id));
  expect(taken?.event).toEqual(one);
  expect(taken?.route).toEqual({
    tenant_id: 'tenant-a',
    instance_id: testbed.env.AIP_CONNECTOR_HOST_INSTANCE_ID,
    replica_id: testbed.env.AIP_CONNECTOR_HOST_REPLICA_ID,
    version_id: testbed.env.AIP_CONNECTOR_HOST_VERSION_ID,
    manifest_digest: digestOf(testbed.manifest()),
    lease_sequence: expect.any(Number),
    channel_id: 'demo-events',
  });
  expect(taken?.route.lease_sequence).toBeGreaterThanOrEqual(1);
  expect(testbed.manifest().channels).toEqual(['demo-events']);
  const published = testbed.ingress.received.at(-1);
  expect(published).toMatchObject({ path: '/aip/v1/connector-events', did: testbed.key.did });
  expect(new Set(testbed.ingress.received.map(({ path }) => path))).toEqual(new Set(['/aip/v1/connector-events']));
  expect(published?.envelope).toMatchObject({
    to: testbed.central.principal,
    body: { event_stream: { events: [one] } },
  });
  expect(published?.text).not.toContain('next_cursor');
  await until('it left the outbox', async () => (await staged()).length === 0);
});

test('P-131 F-042 F-263 a batch stays staged while the ingress is away and goes with the lease sequence of then', async () => {
  const { control } = testbed;
  let renews = true;
  let deciding = 0;
  control.intercept = async (_received, decide) => {
    if (!renews) return 'hang up';
    deciding += 1;
    return decide().finally(() => {
      deciding -= 1;
    });
  };
  const one = event();
  testbed.ingress.answer = () => 'hang up';
  await publish(one);
  const [row] = await until('an attempt failed', async () => {
    const rows = await staged();
    return rows[0]?.attempts && rows;
  });
  expect(row).toMatchObject({ parked_at: null, last_error: expect.any(String) });
  const { sequence } = control.replica;
  await until('the lease was renewed', () => control.replica.sequence > sequence + 1);
  renews = false;
  await until('the last lease is applied', async () => {
    const { rows } = await testbed.pool.query<{ sequence: number }>('SELECT sequence FROM aip_host.leases');
    return deciding === 0 && rows[0]?.sequence === control.replica.sequence;
  });
  testbed.ingress.answer = () => 200;
  await due();
  const [taken] = await until('it arrived', () => delivered(one.id).length > 0 && delivered(one.id));
  expect(taken?.route.lease_sequence).toBe(control.replica.sequence);
  await until('it left the outbox', async () => (await staged()).length === 0);
  control.intercept = undefined;
});

test('a hundred batches that waited are delivered one after the other, each once', async () => {
  const many = Array.from({ length: 100 }, event);
  testbed.ingress.answer = () => 'hang up';
  for (const one of many) await publish(one);
  testbed.ingress.answer = () => 200;
  await due();
  await until('all left the outbox', async () => {
    await due();
    return (await staged()).length === 0;
  });
  for (const { id } of many) expect(delivered(id)).toHaveLength(1);
});

test('F-038 part: a time with trailing zeros, as connectors make it, is signed in its one form', async () => {
  const one = { ...event(), occurred_at: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 120)).toISOString() };
  expect(one.occurred_at).toBe('2026-01-02T03:04:05.120Z');
  await publish(one);
  const [taken] = await until('it arrived', () => delivered(one.id).length > 0 && delivered(one.id));
  expect(taken?.event.occurred_at).toBe('2026-01-02T03:04:05.12Z');
  const published = testbed.ingress.received.find(({ text }) => text.includes(one.id));
  expect(published?.text).toContain('"2026-01-02T03:04:05.12Z"');
  expect(published?.did).toBe(testbed.key.did);
});

test('P-138 F-260 an event staged before a crash is delivered after it, once', async () => {
  const one = event();
  testbed.ingress.answer = () => 503;
  await publish(one);
  await end(testbed.host, 'SIGKILL');
  expect(await staged()).toHaveLength(1);
  testbed.ingress.answer = () => 200;
  await testbed.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0, lease_expires_at = 0');
  await testbed.start();
  await testbed.ready();
  await until('it arrived', () => delivered(one.id).length > 0);
  await until('it left the outbox', async () => (await staged()).length === 0);
  expect(delivered(one.id)).toHaveLength(1);
});

test('F-264 an answer to a replay counts as delivery', async () => {
  const one = event();
  let lost = false;
  testbed.ingress.answer = () => {
    if (lost) return 200;
    lost = true;
    return 'hang up';
  };
  await publish(one);
  await until('the answer was lost', () => lost);
  // The next attempt may come before this one is seen in the outbox.
  await until('the attempt was counted', async () => (await staged()).every(({ attempts }) => attempts > 0));
  await due();
  await until('it left the outbox', async () => (await staged()).length === 0);
  const sent = testbed.ingress.received.filter(({ text }) => text.includes(one.id));
  expect(sent.length).toBe(2);
  expect(new Set(sent.map(({ envelope }) => envelope.message_id)).size).toBe(2);
});

test('failed attempts are not refusals: after an outage one 401 leaves the batch in its place', async () => {
  const one = event();
  testbed.ingress.answer = () => 503;
  await publish(one);
  const [row] = await until('it failed more than once', async () => {
    await due();
    const rows = await staged();
    return (rows[0]?.attempts ?? 0) > 1 && rows;
  });
  expect(row?.refusals).toBe(0);
  // As after a long outage: more attempts than refusals put a batch aside.
  await testbed.pool.query('UPDATE aip_host.outbox SET attempts = 100');
  const answers = [401, 401];
  testbed.ingress.answer = () => answers.shift() ?? 200;
  await until('it was refused and then taken, or put aside', async () => {
    await due();
    const [row] = await staged();
    return answers.length === 0 && (row === undefined || row.parked_at !== null);
  });
  expect(await staged()).toEqual([]);
  expect(delivered(one.id)).toHaveLength(1);
});

test.each<[string, (published: Published) => Promise<IngressReply> | IngressReply]>([
  ['a redirect', () => ({ status: 307, text: '', headers: { location: 'http://127.0.0.1:9/elsewhere' } })],
  ['200 with a page', () => ({ status: 200, text: '<html>welcome</html>' })],
  ['200 with an unsigned envelope', async (p) => ({ status: 200, text: await without(p, 'security') })],
  ['the signature of another key', async (p) => ({ status: 200, text: await testbed.ingress.honest(p, {}, stranger) })],
  [
    'an answer to another message',
    async (p) => ({ status: 200, text: await testbed.ingress.honest(p, { in_response_to: 'msg_else' }) }),
  ],
  [
    'an answer without the event',
    async (p) => ({ status: 200, text: await testbed.ingress.honest(p, { body: { event_stream: { events: [] } } }) }),
  ],
  ['an answer of another kind', async (p) => ({ status: 200, text: await testbed.ingress.honest(p, acknowledged) })],
  [
    'an answer that is too large',
    async (p) => ({ status: 200, text: (await testbed.ingress.honest(p)).padEnd(16_000_000) }),
  ],
  ['a page of a proxy with status 413', () => ({ status: 413, text: '<html>too large</html>' })],
  ['a status 400 with an error of another service', () => ({ status: 400, text: '{"error":"bad request"}' })],
  [
    'an answer that ends early',
    async (p) => ({ status: 200, text: await testbed.ingress.honest(p), headers: { 'content-length': '900000' } }),
  ],
])('F-263 %s is not a delivery: the batch stays until it is really taken', async (_what, answer) => {
  const one = event();
  testbed.ingress.answer = answer;
  await publish(one);
  const row = await until('an attempt was counted', async () => {
    const [found] = await staged();
    return found?.attempts && found;
  });
  expect(row).toMatchObject({ parked_at: null, last_error: expect.any(String) });
  testbed.ingress.answer = () => 200;
  await due();
  await until('it left the outbox', async () => (await staged()).length === 0);
  expect(delivered(one.id)).toHaveLength(1);
});

test('a batch that the ingress can never take is put aside, where it is seen; an unauthorized one after several attempts', async () => {
  testbed.ingress.answer = async (published) => ({
    status: 400,
    text: await testbed.ingress.honest(published, {
      message_type: 'aip.core.v1.error',
      body: {
        error: {
          error: { code: 'connector_event.invalid', message: 'no such shape', category: 'permanent', retryable: false },
        },
      },
    } as unknown as Partial<Envelope>),
  });
  const never = event();
  await publish(never);
  await until('it is parked', async () => (await staged())[0]?.parked_at);
  expect((await staged())[0]?.last_error).toBe('status 400 connector_event.invalid: no such shape');
  const logged = await until('the host logged it', () =>
    testbed.host.lines().find(({ level, channel_id }) => level === 'error' && channel_id === 'demo-events'),
  );
  expect(logged).toMatchObject({ events: 1, reason: expect.stringContaining('no such shape') });
  const [sent, { body }] = [testbed.ingress.received.length, await testbed.readiness()];
  expect([body.status, body.runtime.outbox]).toEqual(['ready', { pending: 0, parked: 1 }]);
  testbed.ingress.answer = () => 401;
  await publish(event());
  await until('it is parked too', async () => {
    await due();
    return (await staged()).every(({ parked_at }) => parked_at !== null) && (await staged()).length === 2;
  });
  expect((await staged()).map(({ attempts }) => attempts).sort()).toEqual([1, 5]);
  expect(testbed.ingress.received.slice(sent).filter(({ text }) => text.includes(never.id))).toEqual([]);

  testbed.ingress.answer = () => 200;
  await publish(never);
  await until('it was published again and taken', () => delivered(never.id).length === 1);
  await until('it left the outbox', async () => (await staged()).length === 1);
  await testbed.pool.query('DELETE FROM aip_host.outbox');
});

test('F-117 staged events are published while the host drains', async () => {
  const running = testbed.central.send({ capability_id: 'cap:demo:report', input: { seconds: 3 } });
  const one = event();
  testbed.ingress.answer = () => 503;
  await publish(one);
  await until('an attempt failed', async () => (await staged())[0]?.attempts);
  testbed.host.child.kill('SIGTERM');
  await until('it drains', () => testbed.control.replica.status === 'draining');
  testbed.ingress.answer = () => 200;
  await due();
  await until('it arrived', () => delivered(one.id).length > 0);
  expect(testbed.control.replica.status).toBe('draining');
  expect(await running).toMatchObject({ result: { status: 'completed' } });
  expect(await testbed.host.exit).toBe(0);
});

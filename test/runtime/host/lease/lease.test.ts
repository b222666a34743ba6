import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { canonicalBytes } from '#runtime/protocol/canonical.js';
import { isId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed, verifySignature } from '#runtime/protocol/signing.js';
import { formatTime, leaseArray, parseLeaseArray, parseTime } from '#runtime/protocol/time.js';
import { until } from '../../../support/until.ts';
import type { Intercept, Received, Reply } from '../support/control-plane.ts';
import { end } from '../support/host-process.ts';
import { startTestbed, type Testbed, type TestbedOptions } from '../support/testbed.ts';

let testbed: Testbed;
const open = async (options: TestbedOptions = {}): Promise<Testbed> => {
  testbed = await startTestbed(options);
  return testbed;
};
afterEach(async () => {
  await testbed?.stop();
});

const heartbeats = (): Received[] => testbed.control.received.filter(({ operation }) => operation === 'heartbeat');
/** The operations from the first drain on. */
const afterDrain = (): string[] => {
  const sent = testbed.control.operations();
  return sent.slice(sent.indexOf('drain'));
};
const previous = ({ request: { command } }: Received): number | undefined =>
  'previous_sequence' in command.payload ? command.payload.previous_sequence : undefined;

/** A lease response with members changed before it is signed. */
function response({ request }: Received, over: object = {}): object {
  const now = Date.now();
  return {
    request_id: request.request_id,
    issued_at: formatTime(now),
    expires_at: formatTime(now + 30_000),
    signer_did: testbed.control.key.did,
    status: 'lease',
    lease: { sequence: testbed.control.replica.sequence, expires_at: leaseArray(testbed.control.replica.leaseEnd) },
    ...over,
  };
}

test('F-061 F-063 F-065 F-066 F-067 F-069 F-070 F-071 F-073 F-075 F-076 F-115 F-287 the commands of a life: shapes, new ids, times, signatures, fences', async () => {
  await open();
  await until('two heartbeats', () => heartbeats().length >= 2);
  testbed.host.child.kill('SIGTERM');
  expect(await testbed.host.exit).toBe(0);

  const all = testbed.control.received;
  expect(new Set(all.map(({ request }) => request.request_id)).size).toBe(all.length);
  for (const { request, signature, text } of all) {
    expect(isId('message', request.request_id)).toBe(true);
    expect(Object.keys(request).sort()).toEqual(['command', 'expires_at', 'issued_at', 'request_id', 'signer_did']);
    expect(formatTime(parseTime(request.issued_at))).toBe(request.issued_at);
    expect(parseTime(request.expires_at) - parseTime(request.issued_at)).toBeLessThanOrEqual(30_000);
    expect(request.signer_did).toBe(testbed.key.did);
    expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(await verifySignature(testbed.key.did, canonicalBytes(JSON.parse(text).request), signature)).toBe(true);
  }
  const [register] = all;
  expect(register?.request.command).toEqual({
    operation: 'register',
    payload: {
      replica: {
        id: testbed.env.AIP_CONNECTOR_HOST_REPLICA_ID,
        instance_id: testbed.env.AIP_CONNECTOR_HOST_INSTANCE_ID,
        version_id: testbed.env.AIP_CONNECTOR_HOST_VERSION_ID,
        endpoint: testbed.env.AIP_CONNECTOR_HOST_PUBLIC_ENDPOINT,
        peer_principal_id: 'agent:demo:test',
        peer_principal_kind: 'agent',
        peer_did: testbed.key.did,
        trust_domain: 'fleet.test',
        transport_profile: 'aip.native.http.v1',
        topology: { region: 'global', zone: 'default', capacity_class: 'standard' },
        status: 'ready',
        lease_expires_at: expect.any(Array),
        capacity: 4,
        active_assignments: 0,
        health_revision: 0,
      },
      manifest_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      artifact_digest: `sha256:${'cd'.repeat(32)}`,
      tenant_id: 'tenant-a',
      config_revision: 1,
      secret_provider_ref: 'vault://tenant-a/demo',
      capability_count: 6,
    },
  });
  const [heartbeat] = heartbeats();
  expect(heartbeat?.request.command.payload).toEqual({
    replica_id: testbed.env.AIP_CONNECTOR_HOST_REPLICA_ID,
    previous_sequence: 1,
    in_flight: 0,
    connector_ready: true,
  });
  expect(all.slice(1).map(previous)).toEqual(all.slice(1).map((_, index) => index + 1));
  expect(testbed.control.operations().slice(-2)).toEqual(['drain', 'offline']);
  for (const { request } of all.slice(-2)) {
    expect(Object.keys(request.command.payload).sort()).toEqual(['previous_sequence', 'replica_id']);
  }
});

test('F-085 the nine-item lease end is read with its offset', async () => {
  await open({ idle: true });
  testbed.control.intercept = async (received, decide) => {
    await decide();
    const inTwoSeconds = Date.now() + 2000;
    const shifted = leaseArray(inTwoSeconds + (5 * 60 + 30) * 60_000);
    shifted.splice(6, 3, 5, 30, 0);
    expect(parseLeaseArray(shifted)).toBe(inTwoSeconds);
    return received.operation === 'register'
      ? testbed.control.signed(response(received, { lease: { sequence: 1, expires_at: shifted } }))
      : 'hang up';
  };
  await testbed.start();
  await testbed.ready();
  const lapsed = async () => !(await testbed.readiness()).body.lease_valid;
  expect(await until('it lapses after two seconds, not hours', lapsed)).toBe(true);
});

const other = signingKeyFromSeed(newSeedHex());
test.each<[string, string, (received: Received) => Promise<Reply>]>([
  ['F-192', 'another request id', (each) => testbed.control.signed(response(each, { request_id: 'msg_other' }))],
  ['F-193', 'another signer did', (each) => testbed.control.signed(response(each, { signer_did: other.did }), other)],
  ['F-194', 'a window that has passed', (each) => testbed.control.signed(response(each, window(-40_000, -10_000)))],
  ['F-194', 'a window in the future', (each) => testbed.control.signed(response(each, window(10_000, 20_000)))],
  ['F-194', 'a window that is too long', (each) => testbed.control.signed(response(each, window(0, 31_000)))],
  ['F-195', 'no signature', async (each) => ({ status: 200, text: JSON.stringify({ response: response(each) }) })],
  ['F-195', 'a signature of another key', (each) => testbed.control.signed(response(each), other)],
  ['F-008', 'the signature of the gateway', (each) => testbed.control.signed(response(each), testbed.central.key)],
  [
    'F-008',
    'the DID and the signature of the gateway',
    (each) => testbed.control.signed(response(each, { signer_did: testbed.central.key.did }), testbed.central.key),
  ],
  ['F-286', 'more than 64 KiB', async (each) => padded(await testbed.control.signed(response(each)), 65_537)],
])('%s an answer with %s applies no lease; the honest answer to the same bytes does', async (_id, _what, wrong) => {
  await open({ idle: true });
  testbed.control.intercept = async (received, decide) => {
    await decide();
    return wrong(received);
  };
  await testbed.start();
  await until('it has tried several times', () => testbed.control.received.length >= 3);
  expect((await testbed.readiness()).body.lease_valid).toBe(false);
  testbed.control.intercept = undefined;
  await testbed.ready();
  const registers = testbed.control.received.filter(({ operation }) => operation === 'register');
  expect(new Set(registers.map(({ text }) => text)).size).toBe(1);
});

function window(from: number, to: number): object {
  return { issued_at: formatTime(Date.now() + from), expires_at: formatTime(Date.now() + to) };
}

function padded(reply: Reply, bytes: number): Reply {
  const { text, status } = reply as { text: string; status: number };
  return { status, text: text + ' '.repeat(bytes - text.length) };
}

test('F-286 an answer of exactly 64 KiB is taken', async () => {
  await open({ idle: true });
  testbed.control.intercept = async (_received, decide) => padded(await decide(), 65_536);
  await testbed.start();
  await expect(testbed.ready()).resolves.not.toThrow();
});

test('F-128 after a lost answer the exact signed bytes go again, and the lease of the repeat is applied', async () => {
  await open();
  let lost: Received | undefined;
  testbed.control.intercept = async (received, decide) => {
    const honest = await decide();
    if (received.operation !== 'heartbeat' || (lost && lost.text !== received.text)) return honest;
    lost ??= received;
    return heartbeats().filter(({ text }) => text === lost?.text).length <= 2 ? 'hang up' : honest;
  };
  const next = await until('a later heartbeat is fenced by the lost one', () =>
    heartbeats().find((each) => lost && (previous(each) ?? 0) > (previous(lost) ?? 0)),
  );
  const copies = heartbeats().filter(({ text }) => text === lost?.text);
  expect(copies.length).toBe(3);
  expect(previous(next)).toBe((previous(lost as Received) ?? 0) + 1);
  expect((await testbed.readiness()).body.lease_valid).toBe(true);
});

test('F-113 F-187 F-248 F-249 F-250 a final rejection is never sent again; after the lapse the host registers again', async () => {
  await open({ ttlMs: 1500 });
  let registers = 0;
  const refusals: string[] = [];
  let refusing = true;
  testbed.control.intercept = async (received, decide) => {
    if (received.operation === 'register') registers += 1;
    // The first recovery is refused too.
    const refuses = refusing && (received.operation === 'heartbeat' || registers === 1);
    if (!refuses) return decide();
    refusals.push(received.text);
    return rejected(received);
  };
  await until('the lease has lapsed', async () => !(await testbed.readiness()).body.lease_valid);
  const refused = heartbeats();
  expect(refused.length).toBeGreaterThan(1);
  expect(new Set(refused.map(({ text }) => text)).size).toBe(refused.length);
  await testbed.ready();
  refusing = false;
  expect(registers).toBeGreaterThanOrEqual(2);
  const counted = async () => {
    const {
      heartbeat_failures_total: failed,
      lease_recovery_attempts_total: tried,
      lease_recoveries_total: recovered,
    } = await testbed.metrics();
    return failed === refusals.length && tried === registers && recovered === registers - 1;
  };
  expect(await until('each attempt is counted once, each that failed, and each that gave a lease', counted)).toBe(true);
  // A register too.
  const sent = testbed.control.received.filter(({ text }) => refusals.includes(text));
  expect(sent.map(({ text }) => text)).toEqual(refusals);
  expect(new Set(refusals).size).toBe(refusals.length);
});

test('F-189 F-248 unavailable is tried again with the same bytes and the later lease applied', async () => {
  await open();
  let refusals = 0;
  testbed.control.intercept = async (received, decide) => {
    if (received.operation !== 'heartbeat' || refusals >= 3) return decide();
    refusals += 1;
    return { ...((await rejected(received, 'connector_control.unavailable')) as { text: string }), status: 503 };
  };
  const before = testbed.control.replica.sequence;
  await until('a heartbeat is committed again', () => testbed.control.replica.sequence > before + 1);
  expect(refusals).toBe(3);
  const copies = Map.groupBy(heartbeats(), ({ text }) => text);
  expect(Math.max(...[...copies.values()].map((each) => each.length))).toBe(4);
  expect((await testbed.metrics()).heartbeat_failures_total).toBe(1);
});

async function rejected({ request }: Received, code = 'connector_control.rejected'): Promise<Reply> {
  const { lease: _, ...rest } = response({ request } as Received, { status: 'rejected', code }) as { lease?: unknown };
  return { ...((await testbed.control.signed(rest)) as { text: string }), status: 403 };
}

test('the nested outcome of other implementations is read too', async () => {
  await open({ idle: true });
  testbed.control.intercept = async (_received, decide) => {
    const { text } = (await decide()) as { text: string };
    const { response: flat } = JSON.parse(text) as { response: Record<string, unknown> };
    const { status, lease, ...rest } = flat;
    return testbed.control.signed({ ...rest, outcome: { status, lease } });
  };
  await testbed.start();
  await expect(testbed.ready()).resolves.not.toThrow();
});

test('a host waits for a control plane that is away at start', async () => {
  await open({ idle: true });
  testbed.control.intercept = async () => 'hang up';
  await testbed.start();
  await until('it has tried', () => testbed.control.received.length >= 4);
  expect((await testbed.get('/health')).status).toBe(200);
  expect((await testbed.readiness()).body.lease_valid).toBe(false);
  expect(new Set(testbed.control.received.map(({ text }) => text)).size).toBe(1);
  testbed.control.intercept = undefined;
  await testbed.ready();
});

/** Kills the process and starts it again in the same life of the replica. */
async function restart(): Promise<Received[]> {
  const before = testbed.control.received.length;
  await end(testbed.host, 'SIGKILL');
  await testbed.start();
  await testbed.ready();
  return testbed.control.received.slice(before);
}

test('a killed host resumes its own live lease with a heartbeat on the stored sequence', async () => {
  await open({ ttlMs: 60_000, env: { AIP_CONNECTOR_HOST_HEARTBEAT_MS: '5000' } });
  const { sequence } = testbed.control.replica;
  const after = await restart();
  expect(after[0]).toMatchObject({ operation: 'heartbeat' });
  expect(previous(after[0] as Received)).toBe(sequence);
  expect(after.map(({ operation }) => operation)).not.toContain('register');
});

const commitThenHangUp: Intercept = async (_received, decide) => {
  await decide();
  return 'hang up';
};

test.each(['register', 'heartbeat'])(
  'work that the registry gave out before the host read the answer to its %s waits for that answer',
  async (operation) => {
    await open({ idle: true });
    if (operation === 'heartbeat') {
      await testbed.start();
      await testbed.ready();
      await end(testbed.host, 'SIGKILL');
    }
    const committed = Promise.withResolvers<void>();
    const known = Promise.withResolvers<void>();
    testbed.control.intercept = async (received, decide) => {
      const answer = await decide();
      if (received.operation !== operation) return answer;
      committed.resolve();
      await known.promise;
      return answer;
    };
    await testbed.start();
    await committed.promise;
    const refusals = (await testbed.metrics()).rejected_total;
    const sent = testbed.central.send({ capability_id: 'cap:demo:echo', input: { text: 'early' } });
    await until('it arrived', async () => ((await testbed.metrics()).requests_total ?? 0) > 0);
    known.resolve();
    expect((await sent).result).toMatchObject({ status: 'completed', output: { echo: { text: 'early' } } });
    expect((await testbed.metrics()).rejected_total).toBe(refusals);
  },
);

test('F-144 nobody but the gateway waits for a lease: a stranger is refused at once', async () => {
  await open({ idle: true });
  const [committed, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  testbed.control.intercept = async (_received, decide) => {
    committed.resolve();
    await known.promise;
    return decide();
  };
  await testbed.start();
  await committed.promise;
  const work = { capability_id: 'cap:demo:echo', input: {} };
  const first = await Promise.race([
    testbed.central.send(work),
    (async () => {
      await until('the gateway waits', async () => (await testbed.metrics()).requests_total === 1);
      return testbed.central.send(work, { key: other });
    })(),
  ]);
  expect(first).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  known.resolve();
  await testbed.ready();
});

test('a host killed while an outcome was unknown sends the stored bytes again and continues with that lease', async () => {
  await open({ idle: true, ttlMs: 60_000 });
  testbed.control.intercept = commitThenHangUp;
  await testbed.start();
  await until('the register was lost', () => testbed.control.received.length >= 2);
  await end(testbed.host, 'SIGKILL');
  const [lost] = testbed.control.received;
  testbed.control.intercept = undefined;
  const after = await restart();
  expect(digest(after[0])).toBe(digest(lost));
  expect(after.filter(({ operation }) => operation === 'register').map(digest)).toEqual([digest(lost)]);
  expect(testbed.control.replica.status).toBe('ready');
});

const digest = (received: Received | undefined): string =>
  createHash('sha256')
    .update(received?.text ?? '')
    .digest('hex');

test('a host whose former life had begun to drain ends that life and registers at once', async () => {
  await open({ ttlMs: 60_000, env: { AIP_CONNECTOR_HOST_DRAIN_TIMEOUT_MS: '60000' } });
  void testbed.central.send({ capability_id: 'cap:demo:report', input: { seconds: 60 } }).catch(() => undefined);
  await until('it runs', async () => (await testbed.metrics()).in_flight === 1);
  testbed.host.child.kill('SIGTERM');
  await until('the drain is committed', () => testbed.control.replica.status === 'draining');
  await until('and applied', async () => {
    const { rows } = await testbed.pool.query<{ status: string; pending: string | null }>(
      'SELECT status, pending FROM aip_host.leases',
    );
    return rows[0]?.status === 'draining' && rows[0].pending === null;
  });
  const after = await restart();
  expect(after.slice(0, 2).map(({ operation }) => operation)).toEqual(['offline', 'register']);
});

test('a host that comes back with another proposal ends the former life and registers', async () => {
  await open({ ttlMs: 60_000 });
  testbed.env.AIP_CONNECTOR_HOST_MAX_IN_FLIGHT = '5';
  const after = (await restart()).filter(({ operation }) => operation !== 'heartbeat');
  expect(after.map(({ operation }) => operation)).toEqual(['offline', 'register']);
  expect(after[1]?.request.command.payload).toMatchObject({ replica: { capacity: 5 } });
});

test('a host that lapsed while it was away registers', async () => {
  await open({ ttlMs: 700 });
  await end(testbed.host, 'SIGKILL');
  await until('the lease is over', () => testbed.control.replica.leaseEnd < Date.now());
  const after = await restart();
  expect(after[0]).toMatchObject({ operation: 'register' });
});

test('F-117 a draining host keeps its lease by repeating drain', async () => {
  await open({ ttlMs: 3000, env: { AIP_CONNECTOR_HOST_DRAIN_TIMEOUT_MS: '60000' } });
  const running = testbed.central.send({ capability_id: 'cap:demo:report', input: { seconds: 5 } });
  await until('it runs', async () => (await testbed.metrics()).in_flight === 1);
  testbed.host.child.kill('SIGTERM');
  expect(await running).toMatchObject({ status: 200, result: { status: 'completed' } });
  expect(await testbed.host.exit).toBe(0);
  const drains = testbed.control.received.filter(({ operation }) => operation === 'drain');
  expect(drains.length).toBeGreaterThan(2);
  expect(afterDrain()).not.toContain('heartbeat');
  expect(testbed.control.operations().at(-1)).toBe('offline');
});

test('F-117 part: a heartbeat that was being prepared when the drain began is sent as a drain', async () => {
  await open({ ttlMs: 30_000, env: { AIP_CONNECTOR_HOST_DRAIN_TIMEOUT_MS: '60000' } });
  const running = testbed.central.send({ capability_id: 'cap:demo:report', input: { seconds: 5 } });
  await until('it runs', async () => (await testbed.metrics()).in_flight === 1);
  const drained = Promise.withResolvers<void>();
  const held = testbed.pool.tx(async (client) => {
    await client.query('LOCK TABLE aip_host.storage_probe IN SHARE MODE');
    await drained.promise;
  });
  await until('the probe of a heartbeat waits', async () => {
    const { rows } = await testbed.pool.query(
      `SELECT FROM pg_locks WHERE NOT granted AND relation = 'aip_host.storage_probe'::regclass`,
    );
    return rows.length > 0;
  });
  testbed.host.child.kill('SIGTERM');
  await until('the drain came', () => testbed.control.operations().includes('drain'));
  drained.resolve();
  await held;
  expect(await running).toMatchObject({ status: 200, result: { status: 'completed' } });
  expect(await testbed.host.exit).toBe(0);
  expect(afterDrain()).not.toContain('heartbeat');
});

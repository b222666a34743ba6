import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import {
  completed,
  type Host,
  routeOf,
  startTestbed,
  TENANT,
  type Testbed,
  TRUST_DOMAIN,
} from '../../runtime/gateway/dispatch/testbed.ts';
import { probeCapability } from '../../support/external-host.ts';
import { until } from '../../support/until.ts';
import { OTHER_TENANT, type SetGateway, startSetGateway } from './support.ts';

const OVERLOADED = 'connector.scheduler_overloaded';
let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed([{}, {}], [probeCapability('echo')], ['aip.native.http.v1'], [TENANT, OTHER_TENANT]);
});
afterAll(() => testbed?.close());
let open: () => void = () => undefined;
afterEach(() => {
  open();
  for (const host of testbed.hosts) {
    host.received.length = 0;
    host.reply = completed;
  }
});

const start = (settings: Record<string, string>): Promise<SetGateway> =>
  startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN, CONNECTOR_FLEET_TIMEOUT_MS: '60000', ...settings });

/** Hosts that answer no action until the gate opens; also opens it when the test ends. */
function hold(): () => void {
  const gate = Promise.withResolvers<void>();
  open = gate.resolve;
  for (const host of testbed.hosts)
    host.reply = async (envelope) => {
      await gate.promise;
      return completed(envelope);
    };
  return open;
}

/** Submits actions whose callers wait, and reads how many of them run and wait. */
const callOf = (gateway: SetGateway) => {
  const submit = async (tenant: string, more: object = {}): Promise<ActionResult | undefined> => {
    const client = tenant === TENANT ? gateway.client : gateway.otherClient;
    const { body } = await client.submit({ capability_id: 'cap:probe:echo', mode: 'sync', ...more });
    return (body as { body: { action_result?: ActionResult } }).body.action_result;
  };
  const state = async (): Promise<[active: number, queued: number]> => [
    await gateway.metric('aip_connector_remote_active'),
    await gateway.metric('aip_connector_remote_queued'),
  ];
  return { submit, state };
};
/** An action holds the only place while it is being stored too: it keeps the place once a host has it. */
const oneRuns = (state: () => Promise<[active: number, queued: number]>) =>
  until('one runs', async () => {
    const atHosts = testbed.hosts.reduce((sum, { received }) => sum + received.length, 0);
    return atHosts === 1 && (await state()).join() === '1,0';
  });
const codeOf = (result: ActionResult | undefined): string | undefined => result?.error?.code;

test('N-285 N-286 N-287 N-288 N-289 the scrape shows what runs and what waits, its bytes and its tenants', async () => {
  const release = hold();
  const gateway = await start({ CONNECTOR_FLEET_MAX_IN_FLIGHT: '2', CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT: '2' });
  const { submit } = callOf(gateway);
  const NAMES = ['active', 'queued', 'queued_bytes', 'active_tenants', 'queued_tenants'];
  const scraped = () => Promise.all(NAMES.map((name) => gateway.metric(`aip_connector_remote_${name}`)));
  const shows = (...wanted: number[]) => until(`${wanted}`, async () => (await scraped()).join() === wanted.join());
  await shows(0, 0, 0, 0, 0);
  const results: Promise<ActionResult | undefined>[] = [];
  const add = async (tenant: string, more: object, ...wanted: number[]): Promise<void> => {
    results.push(submit(tenant, more));
    await until(`${wanted} are counted`, async () => {
      const [active, queued, , ...tenants] = await scraped();
      return [active, queued, ...tenants].join() === wanted.join();
    });
  };
  const bytes = async (): Promise<number> => (await scraped())[2] as number;
  const sized = (length: number): object => ({ input: { text: 'x'.repeat(length) } });
  await add(TENANT, {}, 1, 0, 1, 0);
  await add(TENANT, {}, 2, 0, 1, 0);
  await add(TENANT, sized(1000), 2, 1, 1, 1);
  const one = await bytes();
  expect(one).toBeGreaterThan(1000);
  await add(OTHER_TENANT, sized(1000), 2, 2, 1, 2);
  const two = await bytes();
  await add(OTHER_TENANT, sized(3000), 2, 3, 1, 2);
  // Both of the other tenant are alike but for the text that one has more.
  expect((await bytes()) - two).toBe(two - one + 2000);
  release();
  for (const result of await Promise.all(results)) expect(result?.status).toBe('completed');
  await shows(0, 0, 0, 0, 0);
});

test('F-306 F-307 F-308 F-309 part: what runs and waits is bounded for all tenants and for each by the settings', async () => {
  const release = hold();
  const gateway = await start({
    CONNECTOR_FLEET_MAX_IN_FLIGHT: '3',
    CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT: '2',
    CONNECTOR_FLEET_MAX_QUEUED: '5',
    CONNECTOR_FLEET_MAX_QUEUED_PER_TENANT: '3',
  });
  const { submit, state } = callOf(gateway);
  const results: Promise<ActionResult | undefined>[] = [];
  const add = async (tenant: string, active: number, queued: number): Promise<void> => {
    results.push(submit(tenant));
    await until(`${active} run and ${queued} wait`, async () => (await state()).join() === [active, queued].join());
  };
  await add(TENANT, 1, 0);
  await add(TENANT, 2, 0);
  await add(TENANT, 2, 1);
  await add(TENANT, 2, 2);
  await add(TENANT, 2, 3);
  expect(codeOf(await submit(TENANT))).toBe(OVERLOADED);
  await add(OTHER_TENANT, 3, 3);
  await add(OTHER_TENANT, 3, 4);
  await add(OTHER_TENANT, 3, 5);
  expect(codeOf(await submit(OTHER_TENANT))).toBe(OVERLOADED);
  release();
  expect((await Promise.all(results)).map((result) => result?.status)).toEqual(results.map(() => 'completed'));
});

test('F-310 part: the bytes of what waits are bounded by CONNECTOR_FLEET_MAX_QUEUE_BYTES', async () => {
  const release = hold();
  const gateway = await start({
    CONNECTOR_FLEET_MAX_IN_FLIGHT: '1',
    CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT: '1',
    CONNECTOR_FLEET_MAX_QUEUE_BYTES: '5000',
  });
  const { submit, state } = callOf(gateway);
  const large = { input: { text: 'x'.repeat(3000) } };
  const first = submit(TENANT, large);
  await oneRuns(state);
  const second = submit(TENANT, large);
  await until('one waits', async () => (await state()).join() === '1,1');
  expect(codeOf(await submit(TENANT, large))).toBe(OVERLOADED);
  const small = submit(TENANT);
  await until('a small one waits too', async () => (await state()).join() === '1,2');
  release();
  for (const result of await Promise.all([first, second, small])) expect(result?.status).toBe('completed');
});

test('F-312 part: nothing waits longer than CONNECTOR_FLEET_MAX_QUEUE_AGE_MS', async () => {
  hold();
  const gateway = await start({
    CONNECTOR_FLEET_MAX_IN_FLIGHT: '1',
    CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT: '1',
    CONNECTOR_FLEET_MAX_QUEUE_AGE_MS: '200',
  });
  const { submit, state } = callOf(gateway);
  void submit(TENANT).catch(() => undefined);
  await oneRuns(state);
  // With the default age of 30 s it would end by its own timeout.
  expect(codeOf(await submit(TENANT, { timeout_ms: 15_000 }))).toBe(OVERLOADED);
});

test('F-315 part: a tenant with a weight of 3 in CONNECTOR_FLEET_TENANT_WEIGHTS has three turns for one of another', async () => {
  const release = hold();
  const gateway = await start({
    CONNECTOR_FLEET_MAX_IN_FLIGHT: '1',
    CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT: '1',
    CONNECTOR_FLEET_TENANT_WEIGHTS: `${TENANT}=3`,
  });
  const { submit, state } = callOf(gateway);
  const results = [submit(TENANT)];
  await oneRuns(state);
  for (let n = 0; n < 8; n += 1) results.push(submit(TENANT), submit(OTHER_TENANT));
  await until('all wait', async () => (await state()).join() === '1,16');
  const order: string[] = [];
  for (const host of testbed.hosts)
    host.reply = (envelope) => {
      order.push(routeOf(envelope).tenant_id);
      return completed(envelope);
    };
  release();
  await Promise.all(results);
  expect(order).toHaveLength(16);
  const turns = order.slice(0, 8).filter((tenant) => tenant === TENANT).length;
  expect([5, 6, 7]).toContain(turns);
});

test('with one cached client a gateway opens a new connection whenever the host changes', async () => {
  const gateway = await start({ CONNECTOR_FLEET_MAX_CACHED_CLIENTS: '1' });
  const { submit } = callOf(gateway);
  const [one, other] = testbed.hosts as [Host, Host];
  const opened = (): number => one.connections() + other.connections();
  const before = opened();
  const sequence: Host[] = [];
  for (const host of [one, other])
    host.reply = (envelope) => {
      sequence.push(host);
      return completed(envelope);
    };
  const changes = (): number => sequence.filter((host, n) => n > 0 && host !== sequence[n - 1]).length;
  while (changes() < 5) expect((await submit(TENANT))?.status).toBe('completed');
  expect(opened() - before).toBeGreaterThanOrEqual(changes() + 1);
});

test('F-304 part: a statement of the registry waits CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS for a connection', async () => {
  const settings = { CONNECTOR_REGISTRY_DATA_MAX_CONNECTIONS: '1', POSTGRES_STATEMENT_TIMEOUT_MS: '60000' };
  const patient = await start({ ...settings, CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS: '60000' });
  const hasty = await start({ ...settings, CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS: '1000' });
  const { rows } = await testbed.pool.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'registry'",
  );
  const { held } = await testbed.pool.tx(async (client) => {
    await client.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ACCESS EXCLUSIVE MODE`);
    // Of two that need the one connection, which waits for the lock, one waits for the connection.
    const both = (gateway: SetGateway) => [1, 2].map(() => gateway.client.get('/aip/v1/capabilities'));
    const waiting = both(patient);
    await patient.client.get('/health');
    expect((await Promise.race(both(hasty))).status).toBe(503);
    return { held: waiting };
  });
  // With one time for both the patient requests, which came first, would have been refused first.
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
});

test('a gateway that starts takes the actions of a killed one of its NAME over before their leases end, and of no other', async () => {
  const release = hold();
  const lease = async (id: string) => {
    const { rows } = await testbed.pool.query<{ worker: string; at: number; end: number }>(
      `SELECT worker_id AS worker, updated_at AS at, lease_expires_at AS "end" FROM runtime.actions WHERE action_id = $1`,
      [id],
    );
    return rows[0] as { worker: string; at: number; end: number };
  };
  const runningAt = async (gateway: SetGateway) => {
    const before = received();
    const { id } = await gateway.client.submit({ capability_id: 'cap:probe:echo', mode: 'async' });
    await until('a host has it', async () => received() > before);
    await gateway.end('SIGKILL');
    return { id, ...(await lease(id)) };
  };
  const received = () => testbed.hosts.reduce((sum, host) => sum + host.received.length, 0);
  const ofOne = await runningAt(await start({ NAME: 'one' }));
  const ofOther = await runningAt(await start({ NAME: 'one-more' }));
  expect(ofOne.worker).toMatch(/^aip-gateway:service:central:one:[0-9a-f]{8}$/);
  const again = await start({ NAME: 'one' });
  const taken = await until('it is taken over', async () => {
    const now = await lease(ofOne.id);
    return now.worker !== ofOne.worker && now;
  });
  expect(taken.at).toBeLessThan(ofOne.end);
  expect(await lease(ofOther.id)).toEqual({ worker: ofOther.worker, at: ofOther.at, end: ofOther.end });
  release();
  await until('it ended', async () => (await again.client.status(ofOne.id)).result);
});

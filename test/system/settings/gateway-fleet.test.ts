import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import {
  completed,
  type Host,
  startTestbed,
  type Testbed,
  TRUST_DOMAIN,
} from '../../runtime/gateway/dispatch/testbed.ts';
import { probeCapability } from '../../support/external-host.ts';
import { until } from '../../support/until.ts';
import { type SetGateway, startSetGateway, waitingFor } from './support.ts';

let testbed: Testbed;
let east: Host;
let small: Host;
let far: Host;
let near: Host;
beforeAll(async () => {
  testbed = await startTestbed(
    [
      { region: 'east', zone: 'b', capacityClass: 'large' },
      { region: 'west', zone: 'b', capacityClass: 'small' },
      { region: 'west', zone: 'a', capacityClass: 'large' },
      { region: 'west', zone: 'b', capacityClass: 'large' },
    ],
    [probeCapability('echo'), probeCapability('once')],
    ['aip.native.http.v1'],
  );
  [east, small, far, near] = testbed.hosts as [Host, Host, Host, Host];
});
afterAll(() => testbed?.close());
afterEach(() => {
  for (const host of testbed.hosts) {
    host.received.length = 0;
    host.reply = completed;
  }
});

const start = (settings: Record<string, string>): Promise<SetGateway> =>
  startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN, ...settings });
/** All members of a gateway's preference, so that one replica of the testbed is the only choice. */
const NEAR = { CONNECTOR_FLEET_REGION: 'west', CONNECTOR_FLEET_ZONE: 'b', CONNECTOR_FLEET_CAPACITY_CLASS: 'large' };
const run = async ({ client }: SetGateway, more: object = {}): Promise<ActionResult | undefined> => {
  const { body } = await client.submit({ capability_id: 'cap:probe:echo', mode: 'sync', ...more });
  return (body as { body: { action_result?: ActionResult } }).body.action_result;
};
const queue = ({ client }: SetGateway, more: object = {}) =>
  client.submit({ capability_id: 'cap:probe:echo', mode: 'async', ...more });
const reached = (): Host[] => testbed.hosts.filter(({ received }) => received.length > 0);

/** Hosts that answer no action until the gate opens. */
function hold(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>();
  for (const host of testbed.hosts)
    host.reply = async (envelope) => {
      await gate.promise;
      return completed(envelope);
    };
  return gate;
}
const arrived = (): number => testbed.hosts.reduce((sum, { actions }) => sum + actions.length, 0);

test('F-319 F-320 F-321 a gateway with region, zone and class prefers the replica that has all three', async () => {
  const gateway = await start(NEAR);
  for (let n = 0; n < 8; n += 1) expect((await run(gateway))?.status).toBe('completed');
  expect(reached()).toEqual([near]);
});

test('a gateway of another region, zone or class prefers another replica', async () => {
  for (const [other, host] of [
    [{ CONNECTOR_FLEET_REGION: 'east' }, east],
    [{ CONNECTOR_FLEET_ZONE: 'a' }, far],
    [{ CONNECTOR_FLEET_CAPACITY_CLASS: 'small' }, small],
  ] as const) {
    for (const each of testbed.hosts) each.received.length = 0;
    const gateway = await start({ ...NEAR, ...other });
    for (let n = 0; n < 4; n += 1) expect((await run(gateway))?.status).toBe('completed');
    expect(reached()).toEqual([host]);
  }
});

test('F-311 part: an action above CONNECTOR_FLEET_MAX_REQUEST_BYTES never reaches a host', async () => {
  const gateway = await start({ ...NEAR, CONNECTOR_FLEET_MAX_REQUEST_BYTES: '3000' });
  expect((await run(gateway, { input: { text: 'x'.repeat(1000) } }))?.status).toBe('completed');
  const { id } = await queue(gateway, { input: { text: 'x'.repeat(3000) } });
  const refused = await until('it is refused', async () => (await gateway.client.status(id)).result);
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'connector.request_rejected' } });
  expect(arrived()).toBe(1);
});

test('F-299 F-301 part: a host has CONNECTOR_FLEET_TIMEOUT_MS to answer, and CONNECTOR_FLEET_RETRY_BUDGET further attempts', async () => {
  const gate = hold();
  const gateway = await start({
    ...NEAR,
    CONNECTOR_FLEET_TIMEOUT_MS: '1000',
    CONNECTOR_FLEET_RETRY_BUDGET: '4',
  });
  // Five attempts of the default 5 s would not fit into the time of the action and that of its cancellation.
  const { id } = await queue(gateway, { timeout_ms: 12_000 });
  await until('it ended', async () => (await gateway.client.status(id)).result);
  expect(near.received.filter(({ envelope }) => 'action' in envelope.body)).toHaveLength(5);
  gate.resolve();
});

test('F-300 part: an answer above CONNECTOR_FLEET_MAX_RESPONSE_BYTES is not accepted', async () => {
  const gateway = await start({
    ...NEAR,
    CONNECTOR_FLEET_MAX_RESPONSE_BYTES: '6000',
    CONNECTOR_FLEET_RETRY_BUDGET: '0',
  });
  expect((await run(gateway, { input: { text: 'x'.repeat(1000) } }))?.status).toBe('completed');
  const { id } = await queue(gateway, { input: { text: 'x'.repeat(8000) } });
  const { status } = await until('it ended', async () => (await gateway.client.status(id)).result);
  expect(status).not.toBe('completed');
});

test('the pools have the sizes of their settings', async () => {
  const gateway = await start({
    CONNECTOR_REGISTRY_DATA_MAX_CONNECTIONS: '3',
    POSTGRES_MAX_CONNECTIONS: '20',
    POSTGRES_STATEMENT_TIMEOUT_MS: '120000',
  });
  expect(await gateway.metric('aip_connector_registry_data_pool_max_connections')).toBe(3);
  const waiting = (): Promise<number> => waitingFor(testbed.pool, 'aip-gateway');
  await testbed.pool.tx(async (client) => {
    await client.query('LOCK TABLE runtime.receipts, runtime.actions IN ACCESS EXCLUSIVE MODE');
    let refused = 0;
    const asked = Array.from({ length: 40 }, async () => {
      const { status } = await gateway.client.get('/aip/v1/receipts/action:act_none');
      if (status === 503) refused += 1;
    });
    // A larger pool passes twenty on its way: the others must have found no connection in their time.
    const isFull = async (): Promise<boolean> => refused >= 20 && (await waiting()) === 20;
    expect(await until('twenty statements wait, and the others were refused', isFull)).toBe(true);
    await client.query('COMMIT');
    await Promise.all(asked);
  });
});

test('F-322 F-323 CONNECTOR_FLEET_DISABLE_CROSS_REGION_FAILOVER keeps work in its region, also when no replica of it is left', async () => {
  for (const host of [small, far, near]) await host.lifecycle('drain');
  const banned = await start({ ...NEAR, CONNECTOR_FLEET_DISABLE_CROSS_REGION_FAILOVER: 'true' });
  const { body } = await banned.client.submit({ capability_id: 'cap:probe:echo', mode: 'sync', timeout_ms: 60_000 });
  const { action_result: result } = (body as { body: { action_result: ActionResult } }).body;
  expect(result).toMatchObject({ status: 'failed', error: { code: 'connector.replica_unavailable' } });
  expect(reached()).toEqual([]);
  const open = await start(NEAR);
  expect((await run(open))?.status).toBe('completed');
  expect(reached()).toEqual([east]);
});

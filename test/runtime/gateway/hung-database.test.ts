import { expect, test } from 'vitest';
import { openPool } from '#runtime/postgres/pool.js';
import { verifyEnvelope } from '#runtime/protocol/envelope.js';
import { type AipError, StorageUnavailable } from '#runtime/protocol/errors.js';
import { expectRejected, heartbeat, signed, startPlane } from '../../controller/control-plane/plane.ts';
import { freshDatabase } from '../../support/database.ts';
import { silentProxy } from '../../support/network/silent-proxy.ts';
import { until } from '../../support/until.ts';
import { startSetGateway, waitingFor } from '../../system/settings/support.ts';
import { startFleet } from '../registry/fleet.ts';
import { CALLBACKS, chunkOf, EVENTS, eventsOf, newEvent, openTestbed, post, TRUST_DOMAIN } from './ingress/testbed.ts';
import { actionEnvelope, errorOf, startHttpGateway, TOKEN } from './support/gateway.ts';

const STORAGE: Partial<AipError> = { code: new StorageUnavailable().code, category: 'temporary', retryable: true };

test('a gateway whose database does not answer says 503 storage.unavailable, is not ready, and works again afterwards', async () => {
  const database = await freshDatabase();
  const way = await silentProxy(database.url);
  const gateway = await startHttpGateway({
    databaseUrl: way.url,
    env: { AIP_GATEWAY_POSTGRES_STATEMENT_TIMEOUT_MS: '3000' },
  });
  expect((await gateway.call('GET', '/aip/v1/actions', { token: TOKEN })).status).toBe(200);
  way.silence();
  const [read, events, submitted, ready] = await Promise.all([
    gateway.call('GET', '/aip/v1/actions', { token: TOKEN }),
    gateway.call('GET', '/aip/v1/events', { token: TOKEN }),
    gateway.call('POST', '/aip/v1/actions', { token: TOKEN, body: actionEnvelope() }),
    gateway.call('GET', '/ready'),
  ]);
  for (const answer of [read, events, submitted]) {
    expect(answer.status).toBe(503);
    expect(errorOf(answer)).toMatchObject(STORAGE);
  }
  expect(ready.status).toBe(503);
  way.resume();
  await until('it reads again', async () => {
    const answer = await gateway.call('GET', '/aip/v1/actions', { token: TOKEN });
    return answer.status === 200;
  });
  await gateway.stop();
  await way.close();
  await database.drop();
});

test('a gateway waits for a statement as long as POSTGRES_STATEMENT_TIMEOUT_MS says', async () => {
  const database = await freshDatabase();
  const pool = openPool({ url: database.url, max: 2 });
  const start = (timeoutMs: string) =>
    startHttpGateway({ databaseUrl: database.url, env: { AIP_GATEWAY_POSTGRES_STATEMENT_TIMEOUT_MS: timeoutMs } });
  const patient = await start('60000');
  const hasty = await start('3000');
  const read = (gateway: typeof patient) =>
    gateway
      .call('GET', '/aip/v1/receipts/action:act_none', { token: TOKEN })
      .then((answer) => [answer.status, errorOf(answer).code]);
  const { held } = await pool.tx(async (client) => {
    await client.query('LOCK TABLE runtime.receipts IN ACCESS EXCLUSIVE MODE');
    const waiting = read(patient);
    await until('its statement waits', async () => (await waitingFor(pool, 'aip-gateway')) > 0);
    expect(await read(hasty)).toEqual([503, STORAGE.code]);
    return { held: waiting };
  });
  // With one time for both the patient request, which came first, would have been refused first.
  expect(await held).toEqual([400, 'receipt.not_found']);
  for (const gateway of [patient, hasty]) await gateway.stop();
  await pool.close();
  await database.drop();
});

test('a gateway whose database does not answer says 503 connector_event.unavailable to a host, signed, and stores nothing', async () => {
  const testbed = await openTestbed();
  const host = await testbed.host();
  const way = await silentProxy(testbed.databaseUrl);
  const gateway = await startSetGateway(way.url, { TRUST_DOMAIN, POSTGRES_STATEMENT_TIMEOUT_MS: '3000' });
  const publish = async (event = newEvent()) => post(gateway.url, EVENTS, await eventsOf(host, [event]));
  await until('it accepts events', async () => (await publish()).status === 200);
  const assignment = await testbed.streaming(host);
  const lost = newEvent();
  way.silence();
  const answers = await Promise.all([
    publish(lost),
    chunkOf(host, assignment, {}).then((chunk) => post(gateway.url, CALLBACKS, chunk)),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 503,
      code: 'connector_event.unavailable',
      retryable: true,
      retryAfterMs: 1000,
    });
    expect(await verifyEnvelope(answer.envelope)).toBe(gateway.key.did);
  }
  expect((await testbed.storedEvents()).map(({ id }) => id)).not.toContain(lost.id);
  expect(await testbed.storedChunks(assignment.actionId)).toEqual([]);
  way.resume();
  await until('it accepts events again', async () => (await publish()).status === 200);
  await gateway.end('SIGKILL');
  await way.close();
  await testbed.close();
});

test('a control plane whose database does not answer says 503 connector_control.unavailable, signed', async () => {
  const fleet = await startFleet();
  const replica = await fleet.provision();
  const way = await silentProxy(fleet.url);
  const pool = openPool({ url: way.url, max: 4, statementTimeoutMs: 3000 });
  const plane = await startPlane(fleet, { pool });
  await pool.query('SELECT 1');
  way.silence();
  await expectRejected(plane, await plane.post(await signed(fleet, replica, heartbeat(replica, 0))), 503);
  way.resume();
  await plane.close();
  await pool.close();
  await way.close();
  await fleet.close();
});

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex } from '#runtime/protocol/signing.js';
import { actionEnvelope, type HttpGateway, startHttpGateway, TOKEN } from '../../runtime/gateway/support/gateway.ts';
import { type Fleet, startFleet, type TestReplica } from '../../runtime/registry/fleet.ts';
import { until } from '../../support/until.ts';

const MINUTE = 60_000;
/** Longer than what comes before its judgement takes on a slow machine. */
const LEASE_MS = 300_000;

let fleet: Fleet;
let folder: string;
let replica: TestReplica;
let ahead: HttpGateway;

/** A gateway of the fleet whose machine has another time. */
async function gatewayAhead(ms: number, maxSkewMs?: number): Promise<HttpGateway> {
  return startHttpGateway({
    databaseUrl: fleet.url,
    clock: () => Date.now() + ms,
    env: {
      AIP_GATEWAY_CONNECTOR_REGISTRY_URL: fleet.url,
      AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
      AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      ...(maxSkewMs === undefined ? {} : { AIP_GATEWAY_MAX_CLOCK_SKEW_MS: String(maxSkewMs) }),
    },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-clock-'));
  await writeFile(join(folder, 'seed'), newSeedHex());
  await chmod(join(folder, 'seed'), 0o600);
  fleet = await startFleet();
  replica = await fleet.provision();
  const [signerDid, command] = [replica.key.did, fleet.proposal(replica)];
  const request = { requestId: newId('message'), expiresAt: Date.now() + 30_000, signerDid, command };
  await fleet.registry.lifecycle.commit(request, LEASE_MS);
  ahead = await gatewayAhead(2 * LEASE_MS);
});
afterAll(async () => {
  await ahead?.stop();
  await fleet?.close();
  await rm(folder, { recursive: true, force: true });
});

const readiness = async (gateway: HttpGateway) => (await gateway.call('GET', '/ready')).body;

test('a gateway whose clock is two leases ahead takes no replica offline: leases are judged by the database’s clock', async () => {
  const first = await until('it maintained the fleet', async () => (await readiness(ahead)).fleet?.last_success_at);
  await until('and again', async () => (await readiness(ahead)).fleet.last_success_at !== first);
  expect((await fleet.registry.replicas.get(replica.id))?.status).toBe('ready');
  expect((await readiness(ahead)).fleet.summary).toMatchObject({ ready: 1, offline: 0, expired_leases: 0 });
});

test('what it accepts is dated by the database’s clock, and messages of right clocks are fresh to it', async () => {
  const envelope = actionEnvelope();
  const answer = await ahead.call('POST', '/aip/v1/actions', { token: TOKEN, body: envelope });
  expect(answer.status).toBe(200);
  const { rows } = await fleet.pool.query<{ off: number }>(
    `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 - max(accepted_at) AS off FROM runtime.actions`,
  );
  expect(Math.abs(rows[0]?.off ?? MINUTE)).toBeLessThan(MINUTE / 2);
});

test('it is not ready and says why; one that is only a little off is', async () => {
  const answer = await ahead.call('GET', '/ready');
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({ status: 'not_ready', gateway: { ready: false, clock: { ready: false } } });
  expect(answer.body.gateway.clock.detail).toMatch(/ahead of the database's; synchronize/);
  const near = await gatewayAhead(1500);
  expect((await near.call('GET', '/ready')).body.gateway.clock).toMatchObject({ ready: true });
  await near.stop();
});

test.each([
  [1500, 500, 503],
  [MINUTE, 2 * MINUTE, 200],
])(
  'a clock that is %d ms ahead where AIP_GATEWAY_MAX_CLOCK_SKEW_MS is %d: /ready gives %d',
  async (ms, bound, status) => {
    const gateway = await gatewayAhead(ms, bound);
    const clock = { ready: status === 200 };
    await until('the fleet was read', async () => (await readiness(gateway)).fleet?.last_success_at);
    const answer = await gateway.call('GET', '/ready');
    expect([answer.status, answer.body.gateway.clock]).toEqual([status, expect.objectContaining(clock)]);
    await gateway.stop();
  },
);

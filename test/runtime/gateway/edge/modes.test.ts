import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeEnvelope, signEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { actionEnvelope, errorOf, type HttpGateway, startHttpGateway, TOKEN } from '../support/gateway.ts';

async function withGateway(
  options: Parameters<typeof startHttpGateway>[0],
  work: (gateway: HttpGateway) => Promise<void>,
) {
  const gateway = await startHttpGateway(options);
  try {
    await work(gateway);
  } finally {
    await gateway.stop();
  }
}
const noBearer = { AIP_GATEWAY_NATIVE_BEARER_TOKEN: undefined };

test('N-319 N-323 N-340 N-346 explicit insecure development takes unsigned envelopes and lends its identity to ergonomic routes', () =>
  withGateway({ env: { ...noBearer, AIP_GATEWAY_INSECURE_DEVELOPMENT: 'true' } }, async (gateway) => {
    const envelope = actionEnvelope({}, { from: { id: 'agent:anyone', kind: 'agent' } });
    const answer = await gateway.call('POST', '/aip/v1/messages', { body: envelope });
    expect(answer.body.body.action_result.status).toBe('completed');
    const list = await gateway.call('GET', '/aip/v1/actions?principal_id=service:aip-gateway&tenant_id=acme');
    expect(list).toMatchObject({ status: 200, body: { total_size: 1 } });
    expect((await gateway.call('POST', '/aip/v1/actions', { body: actionEnvelope() })).status).toBe(200);
    const signed = await signEnvelope(
      actionEnvelope(),
      { id: 'agent:x', kind: 'agent' },
      signingKeyFromSeed(newSeedHex()),
    );
    expect(errorOf(await gateway.call('POST', '/aip/v1/messages', { body: signed })).code).toBe(
      'auth.signature.invalid',
    );
    expect((await gateway.call('GET', '/aip/v1/actions', { token: 'any' })).status).toBe(401);
  }));

test('N-318 N-321 on loopback nothing is open unless development is enabled', () =>
  withGateway({ env: noBearer }, async (gateway) => {
    expect((await gateway.call('POST', '/aip/v1/messages', { body: actionEnvelope() })).status).toBe(401);
    expect((await gateway.call('GET', '/aip/v1/actions')).status).toBe(401);
  }));

test('N-346 N-347 an allowed unsigned envelope still needs the bearer', () =>
  withGateway({ env: { AIP_GATEWAY_ALLOW_UNSIGNED_ENVELOPES: 'true' } }, async (gateway) => {
    const without = await gateway.call('POST', '/aip/v1/messages', { body: actionEnvelope() });
    expect([without.status, errorOf(without).code]).toEqual([401, 'auth.native_http_unauthorized']);
    expect((await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: actionEnvelope() })).status).toBe(200);
  }));

test('N-230 N-330 a bearer without a tenant has none: a tenant that it names is refused', () =>
  withGateway(
    { env: { AIP_GATEWAY_NATIVE_TENANT_ID: undefined, AIP_GATEWAY_NATIVE_PRINCIPAL_SCOPES: 'action:read' } },
    async (gateway) => {
      const answer = await gateway.call('GET', '/aip/v1/actions?tenant_id=acme', { token: TOKEN });
      expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.tenant_required']);
      const claimed = actionEnvelope({ identity: { tenant: { id: 'acme' } } });
      const action = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: claimed });
      expect([action.status, errorOf(action).code]).toEqual([401, 'auth.tenant_required']);
    },
  ));

test('N-068 N-397 N-039 N-268 N-269 N-270 without its storage the gateway is not ready, its gauges say so, and requests fail as temporary with a delay', async () => {
  const database = await freshDatabase();
  await withGateway({ databaseUrl: database.url }, async (gateway) => {
    const gauges = async () => {
      const text = (await gateway.call('GET', '/metrics')).body as string;
      return ['daemon_ready', 'gateway_ready', 'runtime_worker_up'].map(
        (name) => new RegExp(`^aip_${name} (\\d)$`, 'm').exec(text)?.[1],
      );
    };
    expect((await gateway.call('GET', '/ready')).status).toBe(200);
    expect(await gauges()).toEqual(['1', '1', '1']);
    await database.drop();
    // Calls within half a second share one look at the database.
    const ready = await until('the gateway has noticed', async () => {
      const answer = await gateway.call('GET', '/ready');
      return answer.body.gateway.storage.ready === false ? answer : undefined;
    });
    expect(ready).toMatchObject({ status: 503, body: { status: 'not_ready' } });
    const answer = await gateway.call('GET', '/aip/v1/actions', { token: TOKEN });
    expect(answer.status).toBe(503);
    expect(errorOf(answer)).toMatchObject({
      code: 'storage.unavailable',
      category: 'temporary',
      retryable: true,
      retry_after_ms: 1000,
    });
    const submitted = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: actionEnvelope() });
    expect([submitted.status, errorOf(submitted).code]).toEqual([503, 'storage.unavailable']);
    await until('the worker says so', async () => {
      const { body } = await gateway.call('GET', '/ready');
      return body.supervisor.runtime_worker_running === false && body.supervisor.last_worker_error;
    });
    expect(await gauges()).toEqual(['0', '0', '0']);
    expect((await gateway.call('GET', '/health')).status).toBe(200);
  });
});

test('N-020 N-021 N-022 a gateway with a key signs every answer to a decoded envelope, also an error', async () => {
  const database = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'aip-seed-'));
  const seed = newSeedHex();
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  const fleet = {
    AIP_GATEWAY_CONNECTOR_REGISTRY_URL: database.url,
    AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
    AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
  };
  try {
    await withGateway({ databaseUrl: database.url, env: fleet }, async (gateway) => {
      const { did } = signingKeyFromSeed(seed);
      for (const action of [{}, { capability_id: 'cap:none' }]) {
        const request = actionEnvelope(action, { correlation_id: 'corr_1' });
        const answer = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: request });
        const envelope = decodeEnvelope(answer.body);
        expect(await verifyEnvelope(envelope)).toBe(did);
        expect(envelope).toMatchObject({
          from: { id: 'service:aip-gateway', trust_domain: 'test', did },
          correlation_id: 'corr_1',
          in_response_to: request.message_id,
        });
      }
      const undecoded = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: '{}' });
      expect(decodeEnvelope(undecoded.body).security).toBeUndefined();
      const ready = await gateway.call('GET', '/ready');
      expect(ready.body.fleet.worker_running).toBe(true);
    });
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action, ActionResult } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { type ExternalHost, startExternalHost, TRUST_DOMAIN } from '../../support/external-host.ts';
import { until } from '../../support/until.ts';

type Signer = ExternalHost['signer'];

let host: ExternalHost;
let dev: Dev;
let client: TestClient;
let sequence: number;

beforeAll(async () => {
  host = await startExternalHost();
  dev = await startDev({
    documents: host.documents(),
    env: {
      AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
      AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
      AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    },
  });
  client = clientOf(dev);
  sequence = await host.register(dev);
});
afterAll(async () => {
  await dev?.stop();
  await host?.close();
});

type Route = Record<string, unknown>;
const routeOf = (envelope: Envelope): Route => (envelope.security as { connector_route: Route }).connector_route;
const actionOf = (envelope: Envelope): Action => (envelope.body as { action: Action }).action;
const last = (): (typeof host.received)[number] => host.received.at(-1) as (typeof host.received)[number];

test('F-002 F-020 F-022 F-023 F-028 F-034 an action reaches the host with its pinned route and the answer reaches the caller', async () => {
  const first = await client.submit({ capability_id: 'cap:probe:echo', input: { text: 'one' } });
  expect(first.status).toBe(200);
  expect((first.body as { body: { action_result: ActionResult } }).body.action_result).toMatchObject({
    action_id: first.id,
    status: 'completed',
    output: { echoed: { text: 'one' } },
  });
  const instance = dev.ready.instances[0] as Dev['ready']['instances'][number];
  const route = routeOf(last().envelope);
  expect(route).toMatchObject({
    action_id: first.id,
    capability_id: 'cap:probe:echo',
    instance_id: instance.instance_id,
    replica_id: instance.replicas[0]?.replica_id,
    version_id: instance.version_id,
    manifest_digest: instance.manifest_digest,
    original_mode: null,
  });
  await client.submit({ capability_id: 'cap:probe:echo', input: {} });
  expect(routeOf(last().envelope).fence_token).not.toBe(route.fence_token);
});

test('F-018 F-037 F-166 the route carries references only and the action the verified tenant, whatever the client claimed', async () => {
  await client.submit({ capability_id: 'cap:probe:echo', input: { a: 1 }, mode: 'sync' });
  const { envelope } = last();
  expect(Object.keys(routeOf(envelope)).sort()).toEqual(
    [
      'action_id',
      'binding_policy_revision',
      'capability_id',
      'catalog_revision',
      'credential_revision_ref',
      'fence_token',
      'instance_id',
      'manifest_digest',
      'original_mode',
      'quota_policy_ref',
      'replica_health_revision',
      'replica_id',
      'tenant_id',
      'version_id',
    ].sort(),
  );
  expect(actionOf(envelope).identity?.tenant).toEqual({ id: 'demo' });
  // Neither the caller's credential nor one of the gateway's own is passed to the host.
  for (const { headers, text } of host.received) {
    expect(text).not.toContain(dev.token);
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
    expect(JSON.stringify(headers)).not.toContain(dev.token);
  }
  expect(routeOf(envelope)).toMatchObject({ tenant_id: 'demo', credential_revision_ref: null, quota_policy_ref: null });
});

test('F-024 a tenant claimed by the client never reaches the route', async () => {
  const { status, body } = await client.submit({
    capability_id: 'cap:probe:echo',
    input: { marker: 'claims' },
    identity: { tenant: { id: 'other' } },
  });
  expect({ status, body }).toMatchObject({
    status: 401,
    body: { body: { error: { error: { code: 'auth.tenant_mismatch' } } } },
  });
  const arrived = host.received.filter(
    ({ envelope }) => (actionOf(envelope)?.input as { marker?: string })?.marker === 'claims',
  );
  expect(arrived).toEqual([]);
});

test('an input with an escaped zero character runs like any other', async () => {
  const { id, status } = await client.submit({ capability_id: 'cap:probe:echo', input: { text: 'a\u0000b' } });
  expect(status).toBe(200);
  expect((await client.result(id)).output).toEqual({ echoed: { text: 'a\u0000b' } });
});

test('F-033 the route names the health revision of the assignment', async () => {
  await client.submit({ capability_id: 'cap:probe:echo', input: {} });
  expect(routeOf(last().envelope).replica_health_revision).toBe(sequence);
});

test('F-035 F-167 an async action is accepted at once and reaches the host as a synchronous one', async () => {
  const { id, body } = await client.submit({ capability_id: 'cap:probe:echo', mode: 'async', input: { later: true } });
  expect((body as { body: { ack: unknown } }).body.ack).toMatchObject({ action_id: id, status: 'queued' });
  await until('it completed', async () => (await client.status(id)).state === 'completed');
  const { envelope } = last();
  expect(actionOf(envelope)).toMatchObject({ id, mode: 'sync' });
  expect(routeOf(envelope).original_mode).toBe('async');
});

test("F-168 F-169 a streaming action keeps its mode and gets the central callback, never the client's own", async () => {
  const { id } = await client.submit({
    capability_id: 'cap:probe:echo',
    mode: 'streaming',
    input: {},
    callback: { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:9/client-callback' },
  });
  const { envelope, text } = last();
  const { connector_callback, connector_callback_recipient } = (actionOf(envelope).callback as { metadata: unknown })
    .metadata as Record<string, unknown>;
  expect(actionOf(envelope)).toMatchObject({
    id,
    mode: 'streaming',
    callback: { profile: 'aip.native.http.v1', target: `${dev.ready.gateway_url}/aip/v1/connector-callbacks` },
  });
  expect(connector_callback).toEqual(routeOf(envelope));
  expect(connector_callback_recipient).toEqual(envelope.from);
  expect(text).not.toContain('client-callback');
});

test('F-003 F-021 a cancellation reaches the host with the route of its action and is answered signed', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  const normal = host.answer;
  host.answer = async (envelope) => {
    if (actionOf(envelope)) await held;
    return normal(envelope);
  };
  const { id } = await client.submit({ capability_id: 'cap:probe:echo', mode: 'async', input: { slow: true } });
  await until('it arrived', () => host.received.some(({ envelope }) => actionOf(envelope)?.id === id));
  expect((await client.post(`/aip/v1/actions/${id}/cancel`, { reason: 'not needed' })).status).toBe(200);
  const cancel = await until('the cancellation arrived', () =>
    host.received.find(({ envelope }) => 'cancel' in envelope.body),
  );
  release();
  host.answer = normal;
  const assigned = host.received.find(
    ({ envelope }) => actionOf(envelope)?.id === id,
  ) as (typeof host.received)[number];
  expect(routeOf(cancel.envelope)).toMatchObject({ ...routeOf(assigned.envelope), original_mode: null });
  expect(
    (
      await until('it is cancelled', async () => {
        const view = await client.status(id);
        return view.state === 'cancelled' && view;
      })
    ).state,
  ).toBe('cancelled');
});

test('F-325 N-444 N-452 N-453 N-455 every request to a host is signed, has version 1.0 and names the trust domain; an action carries its id as idempotency key', async () => {
  const { id } = await client.submit({ capability_id: 'cap:probe:echo', input: {} });
  const { did, headers, envelope } = last();
  expect(did).toBe(dev.ready.gateway.did);
  expect(new Set(host.received.map(({ envelope: { aip_version } }) => aip_version))).toEqual(new Set(['1.0']));
  expect(envelope.from).toMatchObject({ id: dev.ready.gateway.principal_id, trust_domain: TRUST_DOMAIN });
  expect(headers['aip-trust-domain']).toBe((envelope.security as { trust_domain: string }).trust_domain);
  expect(headers['idempotency-key']).toBe(id);
  expect(new Set(host.received.map((each) => Object.keys(each.envelope.body)[0]))).toEqual(
    new Set(['action', 'cancel']),
  );
  for (const each of host.received)
    expect([each.did, each.headers['aip-trust-domain']]).toEqual([dev.ready.gateway.did, TRUST_DOMAIN]);
});

test.each([
  [
    'F-173 N-462',
    'another principal',
    (own: Signer): Signer => ({ ...own, principal: { ...own.principal, id: 'agent:other' } }),
  ],
  ['F-174 N-460', 'another key', (own: Signer): Signer => ({ ...own, key: signingKeyFromSeed(newSeedHex()) })],
  [
    'F-175',
    'another trust domain',
    (own: Signer): Signer => ({ ...own, principal: { ...own.principal, trust_domain: 'elsewhere' } }),
  ],
])('%s an answer of %s is not accepted as a result', async (_ids, _who, change) => {
  const own = host.signer;
  host.signer = change(own);
  const { id } = await client.submit({ capability_id: 'cap:probe:echo', input: {}, mode: 'sync', timeout_ms: 3000 });
  host.signer = own;
  const view = await client.status(id);
  expect(view.state).not.toBe('completed');
  expect(view.result?.output).toBeUndefined();
  const good = await client.submit({ capability_id: 'cap:probe:echo', input: {}, mode: 'sync' });
  expect((await client.status(good.id)).state).toBe('completed');
});

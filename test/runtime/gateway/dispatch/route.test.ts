import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { HeldPlace } from '#runtime/gateway/dispatch/dispatched.js';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { NotAuthorized } from '#runtime/protocol/errors.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action, Callback } from '#runtime/protocol/types.js';
import type { ConnectorInstanceRecord } from '#runtime/registry/instances.js';
import type { RouteSettlement } from '#runtime/registry/routes/settle.js';
import { probeCapability } from '../../../support/external-host.ts';
import { until } from '../../../support/until.ts';
import { versionOf } from '../../registry/fleet.ts';
import {
  completed,
  forever,
  GATEWAY,
  type Host,
  QUOTA_POLICY,
  resultOf,
  routeOf,
  startTestbed,
  TENANT,
  type Testbed,
  TRUST_DOMAIN,
  work,
} from './testbed.ts';

let testbed: Testbed;
let host: Host;

beforeAll(async () => {
  testbed = await startTestbed();
  host = testbed.hosts[0] as Host;
});
afterAll(async () => {
  await testbed?.close();
});

const last = (): Host['received'][number] => host.received.at(-1) as Host['received'][number];
/** What the replica counts. */
const assignments = async (): Promise<number | undefined> =>
  (await testbed.registry.replicas.get(host.replicaId))?.activeAssignments;
const sent = (): Action => host.actions.at(-1) as Action;

test('F-020 F-022 F-023 F-024 F-028 F-029 F-030 F-031 F-032 F-033 F-034 F-037 an action arrives with the pinned route and nothing more', async () => {
  const dispatcher = testbed.dispatcher();
  const job = work();
  const result = await resultOf(dispatcher, job);
  expect(result).toMatchObject({
    action_id: job.action.id,
    status: 'completed',
    output: { echoed: { text: 'hello' } },
  });
  const replica = await testbed.registry.replicas.get(host.replicaId);
  const route = routeOf(last().envelope);
  expect(route).toEqual({
    action_id: job.action.id,
    capability_id: 'cap:probe:echo',
    tenant_id: TENANT,
    instance_id: testbed.instanceId,
    replica_id: host.replicaId,
    version_id: testbed.versionId,
    manifest_digest: testbed.manifestDigest,
    catalog_revision: await testbed.registry.catalogRevision(),
    binding_policy_revision: 1,
    credential_revision_ref: 'credential:1',
    quota_policy_ref: QUOTA_POLICY,
    replica_health_revision: replica?.healthRevision,
    fence_token: expect.stringMatching(/^route_/),
    original_mode: 'sync',
  });
  await resultOf(dispatcher, work());
  expect(routeOf(last().envelope).fence_token).not.toBe(route.fence_token);
});

test('F-002 N-444 the request is signed by the gateway, addressed to the host and carries the action id as idempotency key', async () => {
  const job = work({}, { sessionId: 'sess_1' });
  await resultOf(testbed.dispatcher(), job);
  const { envelope, did, headers } = last();
  expect(did).toBe(testbed.gatewayKey.did);
  expect(envelope.from).toEqual({ ...GATEWAY, trust_domain: TRUST_DOMAIN, did });
  expect(envelope.to).toEqual({ id: 'agent:probe', kind: 'agent' });
  expect(envelope.session_id).toBe('sess_1');
  expect(envelope.correlation_id).toMatch(/^corr_/);
  expect(headers['idempotency-key']).toBe(job.action.id);
});

test('F-024 F-166 the verified tenant is projected into the action; another claimed tenant is refused and reaches nobody', async () => {
  await resultOf(testbed.dispatcher(), work({ identity: { external_user: { id: 'u1', system: 'crm' } } }));
  expect(sent().identity).toEqual({ external_user: { id: 'u1', system: 'crm' }, tenant: { id: TENANT } });
  await resultOf(testbed.dispatcher(), work({ identity: { tenant: { id: TENANT, system: 'crm' } } }));
  expect(sent().identity).toEqual({ tenant: { id: TENANT, system: 'crm' } });
  const before = host.received.length;
  await expect(
    resultOf(testbed.dispatcher(), work({ identity: { tenant: { id: 'tenant-b' } } })),
  ).rejects.toMatchObject({ code: 'auth.tenant_mismatch' });
  expect(host.received).toHaveLength(before);
});

test('F-035 F-167 an async action is sent as a synchronous one; the route keeps async; a mode that was not stated is null', async () => {
  await resultOf(testbed.dispatcher(), work({ mode: 'async', callback: callbackOf('https://client.example') }));
  expect(sent().mode).toBe('sync');
  expect(sent()).not.toHaveProperty('callback');
  expect(routeOf(last().envelope).original_mode).toBe('async');
  const { mode: _, ...unstated } = work().action;
  await resultOf(testbed.dispatcher(), { ...work(), action: unstated });
  expect(sent()).not.toHaveProperty('mode');
  expect(routeOf(last().envelope).original_mode).toBeNull();
});

test("F-168 F-169 a streaming action keeps its mode and gets the central callback, never the client's own", async () => {
  const job = work(
    { mode: 'streaming', callback: callbackOf('https://client.example') },
    { approvalAuthorization: { ok: 1 } },
  );
  await resultOf(testbed.dispatcher(), job);
  const { approval_authorization: approval, ...pinned } = routeOf(last().envelope);
  expect(approval).toEqual({ ok: 1 });
  expect(sent().mode).toBe('streaming');
  expect(sent().callback).toEqual({
    profile: 'aip.native.http.v1',
    target: 'http://127.0.0.1:9/aip/v1/connector-callbacks',
    metadata: { connector_callback: pinned, connector_callback_recipient: last().envelope.from },
  });
  await expect(
    resultOf(testbed.dispatcher({ callbackUrl: undefined }), work({ mode: 'streaming' })),
  ).rejects.toMatchObject({ code: 'auth.not_authorized' });
});

test('F-036 part: the route carries the approval record when the gateway verified one', async () => {
  const record = { request: { id: 'appr_1' }, decision: { decision: 'approved' } };
  await resultOf(testbed.dispatcher(), work({}, { approvalAuthorization: record }));
  expect(routeOf(last().envelope).approval_authorization).toEqual(record);
});

test('F-025 F-026 F-029 F-030 F-031 F-032 F-033 a retry carries the very same pins after catalog, binding and lease have moved on', async () => {
  const dispatcher = testbed.dispatcher();
  const job = work();
  host.reply = () => ({
    error: { code: 'connector_host.capacity', message: 'full', category: 'temporary', retryable: true },
    status: 429,
  });
  await expect(resultOf(dispatcher, job)).rejects.toMatchObject({ code: 'connector_host.capacity' });
  const first = routeOf(last().envelope);
  host.reply = completed;
  await testbed.registry.bindings.put({
    tenantId: TENANT,
    capabilityId: 'cap:probe:echo',
    instanceId: testbed.instanceId,
    priority: 1,
    credentialRevisionRef: 'credential:2',
    enabled: true,
  });
  await host.lifecycle('heartbeat');
  await resultOf(dispatcher, job);
  expect(routeOf(last().envelope)).toEqual(first);
  await until('a new action sees the new binding', async () => {
    await resultOf(dispatcher, work());
    return routeOf(last().envelope).credential_revision_ref === 'credential:2';
  });
  const fresh = routeOf(last().envelope);
  expect(fresh.binding_policy_revision).toBeGreaterThan(first.binding_policy_revision);
  expect(fresh.catalog_revision).toBeGreaterThan(first.catalog_revision);
  expect(fresh.replica_health_revision).toBeGreaterThan(first.replica_health_revision);
});

test('F-027 F-028 a retry carries the pinned version and its manifest after a newer version became current', async () => {
  const own = await startTestbed();
  onTestFinished(() => own.close());
  const [only] = own.hosts as [Host];
  const dispatcher = own.dispatcher();
  const job = work();
  only.reply = () => ({
    error: { code: 'connector_host.not_ready', message: 'not yet', category: 'temporary', retryable: true },
    status: 503,
  });
  await expect(resultOf(dispatcher, job)).rejects.toMatchObject({ code: 'connector_host.not_ready' });
  only.reply = completed;
  const instance = (await own.registry.instances.find(own.instanceId)) as ConnectorInstanceRecord;
  const next = versionOf(instance.connectorTypeId, [probeCapability('echo'), probeCapability('further')]);
  await own.registry.versions.admit(next);
  await own.registry.instances.put({ ...instance, versionId: next.id, configRevision: 2 });
  await resultOf(dispatcher, job);
  const [first, again] = only.received.map(({ envelope }) => routeOf(envelope));
  expect(again).toEqual(first);
  expect(again).toMatchObject({ version_id: own.versionId, manifest_digest: own.manifestDigest });
  expect(next.manifestDigest).not.toBe(own.manifestDigest);
  await expect(resultOf(dispatcher, work())).rejects.toMatchObject({ code: 'connector.replica_unavailable' });
  expect(only.received).toHaveLength(2);
});

test('F-021 F-003 a cancellation carries the route of its action, needs no place, and releases the assignment once its answer is signed by the host', async () => {
  const dispatcher = testbed.dispatcher({ scheduler: { maxInFlight: 1, maxInFlightPerTenant: 1 } });
  const held = Promise.withResolvers<void>();
  host.reply = async (envelope) => {
    if ('action' in envelope.body) await held.promise;
    return completed(envelope);
  };
  const job = work({ mode: 'streaming' });
  const running = resultOf(dispatcher, job);
  await until('it arrived', () => host.actions.some(({ id }) => id === job.action.id));
  const assigned = routeOf(last().envelope);
  const own = host.signer;
  host.signer = { ...own, key: signingKeyFromSeed(newSeedHex()) };
  await expect(dispatcher.cancel({ actionId: job.action.id, tenantId: TENANT }, 'not needed')).rejects.toBeInstanceOf(
    NotAuthorized,
  );
  expect(await assignments()).toBe(1);
  host.signer = own;
  await dispatcher.cancel({ actionId: job.action.id, tenantId: TENANT }, 'not needed');
  const { envelope, headers } = last();
  expect(envelope.body).toEqual({ cancel: { target: { action: job.action.id }, reason: 'not needed' } });
  expect(routeOf(envelope)).toEqual({ ...assigned, original_mode: null });
  expect(headers['idempotency-key']).toBe(envelope.message_id);
  expect((await testbed.registry.replicas.get(host.replicaId))?.activeAssignments).toBe(0);
  held.resolve();
  await running;
  host.reply = completed;
  await expect(dispatcher.cancel({ actionId: job.action.id, tenantId: 'tenant-b' }, 'x')).rejects.toMatchObject({
    code: 'resource.not_found',
  });
});

test('F-311 an action of as many canonical bytes as its bound is sent; with one byte less it is refused before any dispatch: no route is assigned', async () => {
  const job = work({ input: { z: 'x'.repeat(2000), a: '\u00e9"\u0001', n: 1e21 } });
  const maxRequestBytes = Buffer.byteLength(canonicalJson(job.action));
  const before = host.received.length;
  const tight = testbed.dispatcher({ scheduler: { maxRequestBytes: maxRequestBytes - 1 } });
  await expect(resultOf(tight, job)).rejects.toMatchObject({ code: 'connector.request_rejected' });
  expect(await testbed.registry.routes.find({ actionId: job.action.id, tenantId: TENANT })).toBeUndefined();
  expect(host.received).toHaveLength(before);
  const exact = testbed.dispatcher({ scheduler: { maxRequestBytes } });
  expect(await resultOf(exact, job)).toMatchObject({ status: 'completed' });
});

test('300 actions at once all reach their own result, and every place and reservation is given back', async () => {
  const dispatcher = testbed.dispatcher({ scheduler: { maxInFlight: 60, maxInFlightPerTenant: 60 } });
  const jobs = Array.from({ length: 300 }, (_, index) => work({ input: { index } }));
  const results = await Promise.all(jobs.map((job) => resultOf(dispatcher, job)));
  expect(results.map(({ action_id, output }) => [action_id, (output as { echoed: unknown }).echoed])).toEqual(
    jobs.map(({ action }) => [action.id, action.input]),
  );
  await until(
    'all is released',
    async () => (await testbed.registry.replicas.get(host.replicaId))?.activeAssignments === 0,
  );
  expect(dispatcher.snapshot()).toMatchObject({ active: 0, queued: 0, queuedBytes: 0 });
});

test('the caller may release the assignment in the transaction that ends the action', async () => {
  const dispatcher = testbed.dispatcher();
  const dispatched = await dispatcher.execute(work(), forever());
  expect(dispatched).toMatchObject({ kind: 'result', result: { status: 'completed' } });
  {
    await using place = dispatched.place as HeldPlace;
    const release = place.release as RouteSettlement;
    const { settle } = testbed.registry.routes;
    const ending = testbed.pool.tx(async (client) => {
      await settle([release], client);
      throw new Error('the action could not be ended');
    });
    await expect(ending).rejects.toThrow('could not be ended');
    expect(await assignments()).toBe(1);
    await testbed.pool.tx((client) => settle([release], client));
    place.leave();
    expect(await assignments()).toBe(0);
    expect(dispatcher.snapshot().active).toBe(1);
  }
  expect(dispatcher.snapshot().active).toBe(0);
});

test('what is disposed releases the assignment that was not left, and gives its place back either way', async () => {
  const dispatcher = testbed.dispatcher();
  for (const leave of [false, true]) {
    {
      const dispatched = await dispatcher.execute(work(), forever());
      await using place = dispatched.place;
      if (leave) place?.leave();
    }
    expect([await assignments(), dispatcher.snapshot().active]).toEqual([leave ? 1 : 0, 0]);
  }
  await testbed.pool.query('UPDATE registry.assignments SET reserved = false; UPDATE registry.replicas SET active = 0');
});

test('work that no host was assigned to is refused with its reason, never by a rejection', async () => {
  const dispatcher = testbed.dispatcher();
  const unserved = work({ capability_id: 'cap:probe:none' });
  for (const [job, code] of [
    [unserved, 'connector.binding_unavailable'],
    [work({}, { tenantId: '' }), 'auth.not_authorized'],
  ] as const)
    expect(await dispatcher.execute(job, forever())).toMatchObject({ kind: 'refused', error: { code } });
});

test('an action that finds every place of its replicas taken waits a moment for one', async () => {
  const full = 'UPDATE registry.replicas SET active = capacity';
  await testbed.pool.query(full);
  const dispatcher = testbed.dispatcher();
  const running = resultOf(dispatcher, work());
  await until('it looks for a place', () => dispatcher.snapshot().active === 1);
  await testbed.pool.query('UPDATE registry.replicas SET active = 0');
  expect((await running).status).toBe('completed');
});

function callbackOf(target: string): Callback {
  return { profile: 'aip.native.http.v1', target };
}

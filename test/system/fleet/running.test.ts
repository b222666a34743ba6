import { afterAll, beforeAll, expect, test } from 'vitest';
import { STABLE_NAMES } from '#runtime/gateway/metrics/families.js';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { newEnvelope, signEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { ActionEvents, Event, EventStream, Manifest } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

let dev: Dev;
let client: TestClient;

beforeAll(async () => {
  dev = await startDev();
  client = clientOf(dev);
});
afterAll(async () => {
  await dev?.stop();
});

const gateway = (path: string): string => `${dev.ready.gateway_url}${path}`;
const post = (path: string, body: string): Promise<Response> =>
  fetch(gateway(path), { method: 'POST', headers: { 'content-type': 'application/json' }, body });

test('F-005 F-266 N-088 N-094 the chunks and events of an action are its own and in order', async () => {
  const [first, second] = await Promise.all(
    [4, 6].map((n) =>
      client.submit({ capability_id: 'cap:demo:count', mode: 'streaming', input: { n, interval_ms: 5 } }),
    ),
  );
  for (const [{ id }, n] of [
    [first, 4],
    [second, 6],
  ] as [{ id: string }, number][]) {
    const chunks = (await client.get(`/aip/v1/actions/${id}/chunks`)).body as ActionEvents;
    expect(
      chunks.chunks?.map(({ action_id, kind, data }) => [action_id, kind, (data as { value?: number })?.value]),
    ).toEqual([...Array.from({ length: n }, (_, index) => [id, 'data', index + 1]), [id, 'done', undefined]]);
    // What other programs of the fleet commit delays the last events for a moment.
    const events = await until('all its events are shown', async () => {
      const page = (await client.get(`/aip/v1/actions/${id}/events`)).body as ActionEvents;
      return page.terminal && page;
    });
    expect(events.events.length).toBe(n + 2);
    expect(new Set(events.events.map(({ action_id }) => action_id))).toEqual(new Set([id]));
  }
});

test('F-005 a host publishes a provider event through the central ingress, with its provenance', async () => {
  const event = { id: newId('event'), kind: 'demo.note', occurred_at: '2026-01-02T03:04:05Z', data: { text: 'hello' } };
  const { status } = await client.submit({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  expect(status).toBe(200);
  const stored = await until('the event is in the log', async () => {
    const page = (await client.get('/aip/v1/events?kind=demo.note')).body as EventStream;
    return page.events.find(({ id }) => id === event.id) as (Event & { data: Record<string, unknown> }) | undefined;
  });
  const [instance] = dev.ready.instances;
  expect(stored.data).toMatchObject({
    text: 'hello',
    identity: { tenant: { id: 'demo' } },
    aip_connector: { instance_id: instance?.instance_id, version_id: instance?.version_id, channel_id: 'demo-events' },
  });
  expect(instance?.replicas.map(({ did }) => did)).toContain(stored.actor?.did);
});

test('N-062 part: an action continues to its end when the client leaves its stream', async () => {
  const id = newId('action');
  const submitted = client.submit({
    id,
    capability_id: 'cap:demo:count',
    mode: 'streaming',
    input: { n: 12, interval_ms: 40 },
  });
  const leaving = new AbortController();
  await until(
    'it streams',
    async () =>
      (await client.status(id)).state !== undefined &&
      (await client.get(`/aip/v1/actions/${id}/chunks`)).status === 200,
  );
  const stream = await fetch(gateway(`/aip/v1/actions/${id}/chunks?follow=true`), {
    headers: { authorization: `Bearer ${dev.token}` },
    signal: leaving.signal,
  });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  await stream.body?.getReader().read();
  leaving.abort();
  await submitted;
  expect((await client.status(id)).state).toBe('completed');
  const chunks = (await client.get(`/aip/v1/actions/${id}/chunks`)).body as ActionEvents;
  expect(chunks.chunks).toHaveLength(13);
});

test('N-380 after a stream is cut or never opened the action and its transaction hold the terminal state', async () => {
  const submit = async () => {
    const transaction_id = newId('transaction');
    const { id } = await client.submit({
      capability_id: 'cap:demo:transfer',
      mode: 'async',
      input: { from: 'a', to: 'b', amount_minor: 100 },
      transaction: { mode: 'execute', transaction_id },
    });
    return { id, transaction_id };
  };
  const [cut, unopened] = [await submit(), await submit()];
  const leaving = new AbortController();
  const stream = await fetch(gateway(`/aip/v1/actions/${cut.id}/events?follow=true`), {
    headers: { authorization: `Bearer ${dev.token}` },
    signal: leaving.signal,
  });
  await stream.body?.getReader().read();
  leaving.abort();
  for (const { id, transaction_id } of [cut, unopened]) {
    await until('the action is over', async () => (await client.status(id)).state === 'completed');
    const { body } = await client.get(`/aip/v1/transactions/${transaction_id}`);
    expect(body).toMatchObject({ action_id: id, status: 'committed' });
  }
});

test('N-272 N-274 N-279 N-280 N-281 N-282 N-283 N-284 N-301 N-302 the scrape counts envelopes, actions and worker turns and shows the pools', async () => {
  const scrape = async (): Promise<Map<string, number>> =>
    new Map(
      (await (await fetch(gateway('/metrics'))).text())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  await client.submit({ capability_id: 'cap:demo:echo', input: {} });
  const before = await scrape();
  await client.submit({ capability_id: 'cap:demo:flaky', input: { mode: 'permanent' } });
  const { id } = await client.submit({ capability_id: 'cap:demo:echo', mode: 'async', input: {} });
  await until('the worker ran it', async () => (await client.status(id)).state === 'completed');
  const after = await scrape();
  const grown = (name: string): number => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0);
  expect(grown('aip_envelopes_received_total{message_type="aip.core.v1.action"}')).toBe(2);
  expect(grown('aip_actions_total')).toBe(2);
  expect(grown('aip_runtime_worker_cycles_total')).toBeGreaterThan(0);
  expect(grown('aip_runtime_worker_claimed_actions_total')).toBe(1);
  expect(after.get('aip_connector_registry_data_pool_max_connections')).toBe(32);
  const open = after.get('aip_connector_registry_data_pool_connections') as number;
  expect(open).toBeGreaterThan(0);
  expect(after.get('aip_connector_registry_data_pool_idle_connections')).toBeLessThanOrEqual(open);
  for (const name of ['connections', 'idle_connections', 'max_connections'])
    expect(after.get(`aip_connector_registry_control_pool_${name}`)).toBe(0);
});

test('N-309 N-310 N-312 the scrape of a gateway with a fleet has the message type as its only label, and two of the stable names', async () => {
  const { id } = await client.submit({ capability_id: 'cap:demo:echo', input: {} });
  const [instance] = dev.ready.instances;
  const text = await (await fetch(gateway('/metrics'))).text();
  expect(text).toMatch(/^aip_connector_fleet_ready_replicas /m);
  const names = text.split('\n').flatMap((line) => /^[a-z].*(?= \S+$)/.exec(line) ?? []);
  for (const name of names.filter((each) => !/^[a-z_]+$/.test(each)))
    expect(name).toMatch(/^aip_envelopes_received_total\{message_type="aip\.[a-z]+\.v1\.[a-z_]+"\}$/);
  for (const identifier of [id, 'demo', instance?.instance_id, ...(instance?.replicas ?? []).map(({ did }) => did)])
    expect(text).not.toContain(identifier);
  const stable = STABLE_NAMES.filter((name) => names.some((each) => each.replace(/\{.*/, '') === name));
  expect(stable).toEqual(['aip_envelopes_received_total', 'aip_actions_total']);
});

test('N-275 N-276 N-285 N-288 the scrape follows the scheduler and the fleet', async () => {
  const scrape = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(gateway('/metrics'))).text();
    const samples = [...text.matchAll(/^aip_connector_(remote|fleet)_(\w+) (\d+)$/gm)];
    return Object.fromEntries(samples.map(([, group, name, value]) => [`${group}_${name}`, Number(value)]));
  };
  const idle = { remote_active: 0, remote_active_tenants: 0, fleet_active_assignments: 0, fleet_ready_replicas: 2 };
  const shows = (wanted: object) =>
    until('the scrape follows', async () => {
      expect(await scrape()).toMatchObject(wanted);
      return true;
    });
  await shows({ ...idle, remote_queued: 0, remote_queued_bytes: 0, remote_queued_tenants: 0 });
  const { id } = await client.submit({ capability_id: 'cap:demo:report', mode: 'async', input: { seconds: 600 } });
  await shows({ ...idle, remote_active: 1, remote_active_tenants: 1, fleet_active_assignments: 1 });
  await client.post(`/aip/v1/actions/${id}/cancel`, { reason: 'seen' });
  await shows(idle);
});

test('F-269 what the ingress cannot decode is answered unsigned, as the native error envelope', async () => {
  for (const path of ['/aip/v1/connector-events', '/aip/v1/connector-callbacks']) {
    const answer = await post(path, '{"aip_version":"1.0"}');
    const envelope = (await answer.json()) as Envelope;
    expect(answer.status).toBe(400);
    expect(envelope).toMatchObject({
      message_type: 'aip.core.v1.error',
      body: { error: { error: { code: 'schema.envelope.invalid' } } },
    });
    expect(envelope.security).toBeUndefined();
  }
});

test('F-268 N-324 N-325 after decoding the ingress answers signed, and a bearer token replaces no host signature', async () => {
  const stranger = signingKeyFromSeed(newSeedHex());
  const principal = { id: 'agent:stranger', kind: 'agent' as const, trust_domain: 'dev.local' };
  const to = { id: dev.ready.gateway.principal_id, kind: 'service' as const };
  const event = { id: newId('event'), kind: 'x', occurred_at: '2026-01-02T03:04:05Z' };
  const bodies = {
    '/aip/v1/connector-events': { event_stream: { events: [event] } },
    '/aip/v1/connector-callbacks': { stream_chunk: { action_id: newId('action'), sequence: 0, kind: 'data' as const } },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const request = await signEnvelope(newEnvelope(body, { to }, { clock: Date.now }), principal, stranger);
    const answer = await fetch(gateway(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${dev.token}` },
      body: JSON.stringify(request),
    });
    const envelope = (await answer.json()) as Envelope;
    expect(answer.status).toBe(401);
    expect(envelope).toMatchObject({
      in_response_to: request.message_id,
      body: { error: { error: { code: 'connector_event.not_authorized' } } },
    });
    expect(await verifyEnvelope(envelope)).toBe(dev.ready.gateway.did);
  }
});

test('F-010 a bearer token that the gateway takes replaces no signature of it at a host', async () => {
  const [instance] = dev.ready.instances as [Dev['ready']['instances'][number]];
  const [replica] = instance.replicas as [(typeof instance.replicas)[number]];
  const manifest = (await (await fetch(new URL('/aip/v1/manifest', replica.endpoint))).json()) as Manifest;
  const stranger = signingKeyFromSeed(newSeedHex());
  expect((await client.get('/aip/v1/capabilities')).status).toBe(200);

  const action = { id: newId('action'), capability_id: 'cap:demo:echo', input: {} };
  const { id, kind } = manifest.agent;
  const plain = newEnvelope({ action } as Envelope['body'], { to: { id, kind } }, { clock: Date.now });
  const central = {
    id: dev.ready.gateway.principal_id,
    kind: 'service' as const,
    trust_domain: dev.ready.trust_domain,
  };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${dev.token}` };
  for (const envelope of [plain, await signEnvelope(plain, central, stranger)]) {
    const answer = await fetch(replica.endpoint, { method: 'POST', headers, body: JSON.stringify(envelope) });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      body: { error: { error: { code: 'connector_host.route_mismatch' } } },
    });
  }
});

test('F-326 every protocol route of gateway, host and control plane lies under /aip/v1', async () => {
  const host = new URL(dev.ready.instances[0]?.replicas[0]?.endpoint as string).origin;
  const control = new URL(dev.ready.control_url).origin;
  const { body } = await client.get('/aip/v1/openapi.json');
  const paths = Object.keys((body as { paths: Record<string, object> }).paths);
  const operational = ['/', '/health', '/ready', '/metrics'];
  expect(paths.filter((path) => !path.startsWith('/aip/v1/') && !operational.includes(path))).toEqual([]);
  const under = paths.filter((path) => path.startsWith('/aip/v1/')).map((path) => path.slice('/aip/v1'.length));
  expect(under).toEqual(
    expect.arrayContaining(['/messages', '/actions', '/events', '/capabilities', '/connector-events']),
  );
  const outside: [string, string][] = [
    ...under
      .filter((path) => !operational.includes(path))
      .map((path): [string, string] => [dev.ready.gateway_url, path.replaceAll(/[{}]/g, '')]),
    [host, '/messages'],
    [host, '/manifest'],
    [control, '/connector-control'],
  ];
  for (const [origin, path] of outside) {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${origin}${path}`, { method, headers: { authorization: `Bearer ${dev.token}` } });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  }
  expect((await client.get('/aip/v1/capabilities')).status).toBe(200);
  for (const [url, method] of [
    [`${host}/aip/v1/messages`, 'POST'],
    [`${host}/aip/v1/manifest`, 'GET'],
    [`${control}/aip/v1/connector-control`, 'POST'],
  ] as const)
    expect([url, (await fetch(url, { method })).status]).not.toEqual([url, 404]);
});

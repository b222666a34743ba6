import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import { gatewayUrls } from '../../../support/client.ts';
import { paymentsDocuments } from '../../../support/connectors/payments-fleet.ts';
import { type Dev, startDev } from '../../../support/dev.ts';
import type { Provider } from '../../../support/provider.ts';
import { until } from '../../../support/until.ts';
import { type Collector, type ReceivedSpan, startCollector } from './collector.ts';

const AGENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const AGENT_SPAN = '00f067aa0ba902b7';
const PAY = 'cap:payments:pay';

/** The traceparent of each request to the provider, by the key of the payment. */
const atProvider = new Map<string, string | undefined>();
let provider: Server;
let collector: Collector;
let folder: string;
let dev: Dev;

function documents(): string {
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  return paymentsDocuments({ url } as Provider, 1);
}

/** NODE_OPTIONS that note which programs load OpenTelemetry. */
function notingTo(file: string): string {
  const module = pathToFileURL(join(import.meta.dirname, 'note-imports.mjs'));
  module.searchParams.set('to', file);
  return `--import=${module.href}`;
}

beforeAll(async () => {
  provider = createServer((request, response) => {
    const key = decodeURIComponent((request.url ?? '').slice(1));
    atProvider.set(key, request.headers.traceparent as string | undefined);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ key, amount: 1 }));
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  folder = await mkdtemp(join(tmpdir(), 'aip-telemetry-'));
  collector = await startCollector();
  dev = await startDev({
    documents: documents(),
    args: ['--gateways', '2'],
    env: {
      NODE_OPTIONS: notingTo(join(folder, 'on')),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token,x-team=fleet',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    },
  });
});

afterAll(async () => {
  await dev?.stop();
  await collector?.end();
  provider?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Submits a payment to one gateway; its key at the provider is the returned action id. */
async function pay(
  gateway: string,
  given: { trace?: string; token?: string; action?: object } = {},
): Promise<{ id: string; status: number; body: { body: Record<string, { status?: string }> } }> {
  const id = newId('action');
  const action = { id, capability_id: PAY, input: { amount: 1 }, idempotency_key: id, ...given.action };
  const response = await fetch(`${gateway}/aip/v1/actions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${given.token ?? dev.token}`,
      'content-type': 'application/json',
      ...(given.trace !== undefined && { traceparent: given.trace }),
    },
    body: JSON.stringify({
      aip_version: '1.0',
      message_type: 'aip.core.v1.action',
      message_id: newId('message'),
      sent_at: formatTime(Date.now()),
      body: { action },
    }),
  });
  return { id, status: response.status, body: (await response.json()) as never };
}

/** The spans from the one that the provider was called by up to the agent's. */
async function pathOf(traceparent: string): Promise<ReceivedSpan[]> {
  return until('the whole path is exported', async () => {
    const spans = await collector.spans();
    const path: ReceivedSpan[] = [];
    let spanId = traceparent.split('-')[2];
    while (spanId !== AGENT_SPAN) {
      const span = spans.find((each) => each.spanId === spanId);
      if (!span) return undefined;
      path.push(span);
      spanId = span.parentSpanId;
    }
    return path;
  });
}

test('one trace leads from the agent through gateway and host to the provider', async () => {
  const { id, status, body } = await pay(dev.ready.gateway_url, { trace: `00-${AGENT_TRACE}-${AGENT_SPAN}-01` });
  expect(status).toBe(200);
  expect(body.body.action_result?.status).toBe('completed');
  const traceparent = atProvider.get(id) ?? '';
  expect(traceparent).toMatch(new RegExp(`^00-${AGENT_TRACE}-[0-9a-f]{16}-01$`));
  const path = await pathOf(traceparent);
  expect(path.map(({ service, name }) => `${service} ${name}`)).toEqual([
    'aip-connector-host POST',
    'aip-connector-host aip.host.execute',
    'aip-connector-host POST /aip/v1/messages',
    'aip-gateway aip.action.dispatch',
    'aip-gateway aip.action.execute',
    'aip-gateway POST /aip/v1/actions',
  ]);
  expect(path.every(({ traceId }) => traceId === AGENT_TRACE)).toBe(true);
  expect(path[0]?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
  expect(JSON.stringify(path[0])).not.toContain(`/${id}`);
  const beside = (await collector.spans()).filter((span) => span.attributes['aip.action_id'] === id);
  expect(beside.map(({ name }) => name)).toContain('aip.action.accept');
  const request = path.at(-1) as ReceivedSpan;
  const names = (await collector.spans()).filter((span) => span.traceId === request.traceId).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['aip.host.gate', 'aip.action.finish']));
});

test('an action continues the trace that it names itself', async () => {
  const observability = { trace_id: AGENT_TRACE, span_id: AGENT_SPAN };
  const { id, status } = await pay(dev.ready.gateway_url, { action: { observability } });
  expect(status).toBe(200);
  expect((await pathOf(atProvider.get(id) ?? '')).at(-1)?.name).toBe('POST /aip/v1/actions');
});

test('a queued action keeps its trace on the gateway that executes it', async () => {
  const [first = ''] = await gatewayUrls(dev);
  const elsewhere = await until('another gateway executes one', async () => {
    const { id } = await pay(first, {
      trace: `00-${AGENT_TRACE}-${AGENT_SPAN}-01`,
      action: { mode: 'async' },
    });
    const path = await pathOf(await until('it is paid', () => atProvider.get(id)));
    const executed = path.find(({ name }) => name === 'aip.action.execute');
    return path.at(-1)?.pid !== executed?.pid && { id, path, executed };
  });
  expect(elsewhere.path.at(-1)?.name).toBe('POST /aip/v1/actions');
  const queued = await until('the wait is exported', async () =>
    (await collector.spans()).find(
      ({ name, attributes }) => name === 'aip.action.queue' && attributes['aip.action_id'] === elsewhere.id,
    ),
  );
  expect(queued).toMatchObject({ traceId: AGENT_TRACE, pid: elsewhere.executed?.pid });
  expect(queued.parentSpanId).toBe(elsewhere.executed?.parentSpanId);
});

test('an unsampled trace stays unsampled on every hop', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const { id } = await pay(dev.ready.gateway_url, { trace: `00-${trace}-${AGENT_SPAN}-00`, action: { mode: 'async' } });
  const traceparent = await until('it is paid', () => atProvider.get(id));
  expect(traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
  // A later trace of the same processes is exported, and nothing of this one before it.
  const later = await pay(dev.ready.gateway_url, { trace: `00-${AGENT_TRACE}-${AGENT_SPAN}-01` });
  await pathOf(atProvider.get(later.id) ?? '');
  expect((await collector.spans()).filter(({ traceId }) => traceId === trace)).toEqual([]);
});

test('durations of actions are measured by capability and outcome, those of HTTP by the semantic conventions', async () => {
  const points = await until('both programs exported their durations', async () => {
    const all = await collector.points();
    const measured = (metric: string) => all.find((point) => point.metric === metric && point.count > 0);
    const action = measured('aip.action.duration');
    const server = measured('http.server.request.duration');
    const client = measured('http.client.request.duration');
    return action && server && client && { action, server, client };
  });
  expect(points.action).toMatchObject({
    service: 'aip-gateway',
    unit: 's',
    attributes: { 'aip.capability_id': PAY, 'aip.outcome': 'completed' },
  });
  expect(points.server.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
  expect(points.client).toMatchObject({
    service: 'aip-connector-host',
    attributes: { 'http.request.method': 'POST', 'server.address': '127.0.0.1' },
  });
});

test('the collector gets the configured headers, which no log holds', async () => {
  const [request] = await collector.requests();
  expect(request?.headers).toMatchObject({ authorization: 'Bearer collector-token', 'x-team': 'fleet' });
  const log = await readFile(join(dev.dataDir, 'logs', 'gateway-1.log'), 'utf8');
  expect(log).toContain('telemetry is on');
  expect(log).not.toContain('collector-token');
});

test.each(['hang', 'nonsense', 'unavailable', 'reset'] as const)(
  'a collector that answers with %s fails and delays no work',
  async (how) => {
    await collector.behave(how);
    const results = await Promise.all(Array.from({ length: 20 }, () => pay(dev.ready.gateway_url)));
    expect(results.map(({ body }) => body.body.action_result?.status)).toEqual(Array(20).fill('completed'));
    const misbehaved = await until('an export met it', async () =>
      (await collector.requests()).some(({ path, behavior }) => path === '/v1/traces' && behavior === how),
    );
    expect(misbehaved).toBe(true);
    expect((await pay(dev.ready.gateway_url)).status).toBe(200);
    await collector.behave('well');
  },
);

test('a fleet ends with exit code 0 while its collector hangs', async () => {
  await collector.behave('hang');
  expect((await pay(dev.ready.gateway_url)).status).toBe(200);
  expect(await dev.stop()).toBe(0);
  const loaded = await readFile(join(folder, 'on'), 'utf8');
  expect(loaded).toContain('@opentelemetry/sdk-trace of gateway');
  expect(loaded).toContain('@opentelemetry/sdk-trace of host');
});

test('without an endpoint nothing of OpenTelemetry is loaded and nothing connects', async () => {
  await collector.behave('well');
  const before = (await collector.requests()).length;
  const noted = join(folder, 'off');
  const quiet = await startDev({
    documents: documents(),
    env: { NODE_OPTIONS: notingTo(noted), OTEL_EXPORTER_OTLP_HEADERS: 'x-team=fleet', OTEL_SERVICE_NAME: 'quiet' },
  });
  try {
    const { id, status } = await pay(quiet.ready.gateway_url, {
      token: quiet.token,
      trace: `00-${AGENT_TRACE}-${AGENT_SPAN}-01`,
    });
    expect(status).toBe(200);
    // As without telemetry before: the provider gets the agent's own context.
    expect(atProvider.get(id)).toBe(`00-${AGENT_TRACE}-${AGENT_SPAN}-01`);
  } finally {
    await quiet.stop();
  }
  const lines = (await readFile(noted, 'utf8')).split('\n');
  expect(lines).toEqual(expect.arrayContaining(['program gateway', 'program host', 'program control-plane']));
  expect(lines.filter((line) => line.includes('@opentelemetry'))).toEqual([]);
  expect((await collector.requests()).length).toBe(before);
});

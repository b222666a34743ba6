import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CapabilityContext,
  capability,
  checkConfig,
  defineConnector,
  idempotentWrite,
  Result,
  readOnly,
  unsafeWrite,
} from '@aip/runtime/sdk';
import { expect, expectTypeOf, test } from 'vitest';
import { openFetch, traceHeaders } from '#runtime/connectors/sdk/fetch.js';
import { execute } from '#runtime/host/execution/execute.js';
import { checkManifestRules } from '#runtime/protocol/decode/rules.js';
import { check } from '#runtime/protocol/validate.js';

const price = capability({
  id: 'cap:shop:price',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['sku'],
    properties: {
      sku: { type: 'string' },
      count: { type: 'integer' },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
    },
  },
  output: { type: 'object', required: ['cents'], properties: { cents: { type: 'integer' } } },
  contract: readOnly({ execution: { supports_streaming: true } }),
  run: async (input, ctx: CapabilityContext<{ cents: number }>) => {
    expectTypeOf(input).toEqualTypeOf<{ sku: string; count?: number; tags?: ('a' | 'b')[] }>();
    await ctx.progress(0.5, 'asking');
    return { cents: ctx.config.cents * (input.count ?? 1) };
  },
});
const order = capability({
  id: 'cap:shop:order',
  name: 'Order',
  input: { type: 'object' },
  contract: idempotentWrite({ key: 'required', scope: 'external_account', data: { contains_pii: true } }),
  run: () => new Result({ status: 'requires_human', message: [{ type: 'text', text: 'call us' }] }),
  reconcile: async () => ({ terminal: true, committed: false }),
});
const shop = defineConnector<{ cents: number }>({
  type: 'shop',
  configSchema: { type: 'object', required: ['cents'], properties: { cents: { type: 'integer' } } },
  checkConfig: ({ cents }) => (cents < 0 ? [{ path: '/cents', message: 'must not be negative' }] : []),
  capabilities: ({ cents }) => (cents === 0 ? [price] : [price, order]),
  manifest: (_config, { secretFiles }) => ({ channels: secretFiles.includes('hook') ? ['shop-events'] : [] }),
});

/** Runs a capability as the host does, with what it emitted. */
async function call(each: typeof price | typeof order, input: unknown, mode?: 'streaming') {
  const chunks: unknown[] = [];
  const emit = async (chunk: unknown): Promise<void> => void (mode === 'streaming' && chunks.push(chunk));
  const context = {
    action: { id: 'act_1', capability_id: each.record.id, input, ...(mode && { mode }) },
    config: { cents: 7 },
    signal: new AbortController().signal,
    emit,
    progress: (fraction: number, note?: string) => emit({ kind: 'progress', data: { fraction, note } }),
  } as unknown as CapabilityContext;
  const { result } = await execute({
    connectorType: 'shop',
    capability: each.record,
    handler: each as never,
    context,
    effectCommitted: () => false,
    streamSettled: async () => undefined,
    streamFailure: () => undefined,
    onUntyped: () => undefined,
  });
  return { result, chunks };
}

test('one handler serves sync and streaming: chunks are sent in streaming mode only, and the result is the same', async () => {
  const plain = await call(price, { sku: 'x', count: 3 });
  const streamed = await call(price, { sku: 'x', count: 3 }, 'streaming');
  expect(plain).toMatchObject({ result: { status: 'completed', output: { cents: 21 } }, chunks: [] });
  expect(streamed.result).toEqual(plain.result);
  expect(streamed.chunks).toEqual([{ kind: 'progress', data: { fraction: 0.5, note: 'asking' } }]);
});

test('a handler gets only what passes its input schema, and a Result carries message and status', async () => {
  expect((await call(price, { sku: 7 })).result).toMatchObject({
    status: 'failed',
    error: { code: 'action.input_schema_invalid' },
  });
  expect((await call(order, {})).result).toEqual({
    action_id: 'act_1',
    status: 'requires_human',
    message: [{ type: 'text', text: 'call us' }],
  });
});

test('a connector that is declared has a valid manifest that follows from configuration and names of secret files', () => {
  const manifest = shop.manifest({ cents: 1 }, { secretFiles: ['hook'] });
  expect(check('Manifest', manifest)).toEqual([]);
  checkManifestRules(manifest);
  expect(manifest).toMatchObject({
    agent: { id: 'agent:shop', kind: 'agent' },
    capabilities: [{ id: 'cap:shop:price', name: 'price', kind: 'tool' }, { name: 'Order' }],
    profiles: ['aip.native.http.v1'],
    channels: ['shop-events'],
  });
  expect(shop.manifest({ cents: 0 })).toMatchObject({ capabilities: [{ id: 'cap:shop:price' }], channels: [] });
  expect(price.support).toMatchObject({ streaming: true, reconciliation: false });
  expect(order.support).toMatchObject({ streaming: false, reconciliation: true });
});

test('checks of a connector follow those of its schema and name the member', () => {
  expect(() => checkConfig(shop, { cents: 'x' })).toThrow('/cents');
  expect(() => checkConfig(shop, { cents: -1 })).toThrow(
    'the configuration of shop is invalid: /cents must not be negative',
  );
  expect(checkConfig(shop, { cents: 1 })).toEqual({ cents: 1 });
});

test('presets give whole contracts, of which each member can be replaced on its own', () => {
  expect(readOnly({ execution: { supports_async: false }, sla: { timeout_ms: 5 } })).toMatchObject({
    side_effects: ['read'],
    execution: { supports_sync: true, supports_async: false, retry_safety: 'safe' },
    sla: { timeout_ms: 5, async_expected: false },
  });
  expect(order.record.contract).toMatchObject({
    side_effects: ['write'],
    idempotency: {
      requirement: 'required',
      collision_behavior: 'return_original_result',
      key_scope: 'external_account',
    },
    execution: { supports_retry: true, retry_safety: 'safe_with_idempotency_key' },
    data: { sensitivity: 'internal', contains_pii: true },
  });
  expect(unsafeWrite({ side_effects: ['delete'] })).toMatchObject({
    side_effects: ['delete'],
    idempotency: { requirement: 'optional', collision_behavior: 'reject_conflict' },
    execution: { supports_retry: false, retry_safety: 'unsafe' },
  });
});

/** A provider that answers so, while `use` runs. */
async function withProvider(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}
const scope = (signal = new AbortController().signal, headers = {}) => openFetch({ type: 'shop', signal, headers });

test('ctx.fetch sends the trace and id of the action, bounds the body as declared and as received, and follows no redirect', async () => {
  const action = { id: 'act_9', observability: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } };
  await withProvider(
    (request, response) => {
      if (request.url === '/headers') response.end(JSON.stringify(request.headers));
      else if (request.url === '/declared') response.end('x'.repeat(11));
      else if (request.url === '/chunked') {
        response.write('x'.repeat(6));
        response.end('x'.repeat(5));
      } else response.writeHead(302, { location: '/headers' }).end();
    },
    async (url) => {
      const fetch = scope(undefined, traceHeaders(action));
      const seen = await (await fetch(`${url}/headers`, { headers: { 'x-own': '1' } })).json();
      expect(seen).toMatchObject({
        'x-aip-action-id': 'act_9',
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        'x-own': '1',
      });
      const tooLarge = { code: 'connector.shop.invalid_response' };
      await expect(fetch(`${url}/declared`, { maxBytes: 10 })).rejects.toMatchObject(tooLarge);
      await expect((await fetch(`${url}/chunked`, { maxBytes: 10 })).text()).rejects.toMatchObject(tooLarge);
      expect(await (await fetch(`${url}/chunked`, { maxBytes: 11 })).text()).toHaveLength(11);
      expect((await fetch(`${url}/elsewhere`)).status).toBe(302);
    },
  );
});

test('ctx.fetch ends with the signal of its call, and says of a failed write whether it may have arrived', async () => {
  const ended = new AbortController();
  await withProvider(
    (request) => {
      if (request.method === 'POST') request.socket.destroy();
      else ended.abort(new Error('the action was cancelled'));
    },
    async (url) => {
      await expect(scope(ended.signal)(url)).rejects.toThrow('the action was cancelled');
      await expect(scope()(url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
        code: 'connector.shop.transport',
        retryable: false,
        init: { uncertainOutcome: true },
      });
    },
  );
  let closed = '';
  await withProvider(
    () => undefined,
    async (url) => {
      closed = url;
    },
  );
  await expect(scope()(closed, { method: 'POST', body: 'x' })).rejects.toMatchObject({
    code: 'connector.shop.transport',
    retryable: true,
    init: { uncertainOutcome: false },
  });
});

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkConfig } from '@aip/runtime/sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { METADATA_RESOURCES } from '#runtime/connectors/twenty/metadata-query.js';
import { twenty } from '#runtime/connectors/twenty/twenty.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import type { ActionResult, Capability } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { type Simulator, startSimulator } from '../../support/simulator.ts';

const CORE = 'cap:twenty:openapi.core';
const METADATA = 'cap:twenty:openapi.metadata';
const BOTH = [CORE, METADATA];
const ROUTES: Record<string, string> = { [CORE]: '/rest/open-api/core', [METADATA]: '/rest/open-api/metadata' };
const WORKSPACE = '20202020-1c25-4d02-bf25-6aeccf7ea419';

let simulator: Simulator;
let dev: Dev;
let client: TestClient;

beforeAll(async () => {
  simulator = await startSimulator('twenty');
  const example = await readFile(resolve(import.meta.dirname, '..', '..', '..', 'examples', 'twenty.yaml'), 'utf8');
  const operations = 'operations: [openapi.core, openapi.metadata, metadata.list, metadata.get]';
  const documents = example
    .replace('http://127.0.0.1:4210', simulator.url)
    .replace(`workspace_id: ${WORKSPACE}`, `workspace_id: ${WORKSPACE}\n    ${operations}`);
  dev = await startDev({ documents });
  client = clientOf(dev);
});
afterAll(async () => {
  await dev?.stop();
  await simulator?.stop();
});
beforeEach(async () => {
  await simulator.behave();
});

/** Submits a sync action; its result, and the requests that it made of the provider. */
async function run(capability: string, input: unknown = {}, more: object = {}) {
  const { id, status, body } = await client.submit({ capability_id: capability, input, ...more } as never);
  const result = (body as { body?: { action_result?: ActionResult } }).body?.action_result ?? (body as ActionResult);
  // The probe of the host's health reads the core route too; what an action sends carries the action's id.
  const requests = (await simulator.requests()).filter(({ headers }) => headers['x-aip-action-id'] === id);
  return { id, status, result, requests };
}
const output = ({ result }: { result: ActionResult }): Record<string, unknown> =>
  result.output as Record<string, unknown>;

test.each(BOTH)(
  'P-003 P-004 P-037 P-041 P-042 P-072 P-073 P-080 %s reads its one document with the key of the host',
  async (capability) => {
    const read = await run(capability);
    expect(read.result).toMatchObject({ status: 'completed', output: { http_status: 200 } });
    expect(read.requests).toHaveLength(1);
    expect(read.requests[0]).toMatchObject({ method: 'GET', path: ROUTES[capability], credential: 'accepted' });
    expect(read.requests[0]).not.toHaveProperty('body');
    expect(read.requests[0]?.headers.authorization).toBe('Bearer twenty-api-key');
    const direct = await fetch(`${simulator.url}${ROUTES[capability]}`, {
      headers: { authorization: 'Bearer twenty-api-key' },
    });
    expect(output(read).body).toEqual(await direct.json());
  },
);

test('P-043 P-044 P-120 the body is whatever JSON the provider sent, with nothing added or removed', async () => {
  for (const body of ['[1,{"token":"x","secret":"y"}]', '"text"', 'null', '{"$ref":"nowhere"}']) {
    await simulator.behave({ body });
    const { result } = await run(CORE);
    expect(result.output).toEqual({
      http_status: 200,
      provider_request_id: expect.any(String),
      body: JSON.parse(body),
    });
  }
  await simulator.behave({ status: 203, body: '{}' });
  expect(output(await run(CORE)).http_status).toBe(203);
});

test('P-045 an answer without bytes has the body null', async () => {
  for (const behavior of [{ body: '' }, { status: 204, body: '', declared: 'none' as const }]) {
    await simulator.behave(behavior);
    expect((await run(METADATA)).result).toMatchObject({ status: 'completed', output: { body: null } });
  }
});

test.each([
  ['P-038', { 'x-request-id': 'req-a', traceparent: '00-a' }, 'req-a'],
  ['P-039 absent', { 'x-request-id': '', traceparent: '00-b' }, '00-b'],
  ['P-039 longer than 512 characters', { 'x-request-id': 'x'.repeat(513), traceparent: '00-c' }, '00-c'],
  ['P-038 of 512 characters', { 'x-request-id': 'x'.repeat(512), traceparent: '00-c' }, 'x'.repeat(512)],
  ['P-039 with characters that are no text', { 'x-request-id': 'caf\u00e9', traceparent: '00-d' }, '00-d'],
  ['P-040', { 'x-request-id': 'y'.repeat(513), traceparent: 'z'.repeat(513) }, null],
])(
  '%s: the request id of the provider is a valid x-request-id, else traceparent, else null',
  async (_id, headers, expected) => {
    await simulator.behave({ headers });
    expect(output(await run(CORE)).provider_request_id).toBe(expected);
  },
);

test.each([
  ['P-085', { path: '/rest/metadata/apiKeys' }],
  ['P-085', { url: 'https://elsewhere.example' }],
  ['P-085', { host: 'elsewhere.example' }],
  ['P-086', { workspace_id: WORKSPACE }],
  ['P-086', { token: 'another' }],
  ['P-156', { query: {} }],
  ['P-156', { anything: null }],
  ['P-157', []],
  ['P-157', 'text'],
  ['P-157', 7],
  ['P-157', null],
])(
  'P-074 P-075 %s an input such as %j is refused with connector.twenty.invalid_request and asks the provider nothing',
  async (_id, input) => {
    for (const capability of BOTH) {
      const { result, requests } = await run(capability, input);
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'connector.twenty.invalid_request', category: 'permanent', retryable: false },
      });
      expect(requests).toEqual([]);
    }
  },
);

test('an input of null is refused as before for a capability that states no code of its own', async () => {
  const { status, body } = await client.submit({ capability_id: 'cap:twenty:metadata.list', input: null } as never);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('action.invalid_input')]);
});

test('P-116 only the key of the host reaches the provider, whatever a caller claims', async () => {
  const { requests, result } = await run(
    CORE,
    {},
    {
      identity: { credential_ref: { id: 'mine', issuer: 'me', scopes: [] } },
      idempotency_key: 'key-1',
    },
  );
  expect(result.status).toBe('completed');
  expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer twenty-api-key', 'idempotency-key': 'key-1' });
  expect(JSON.stringify(requests)).not.toContain('mine');

  const id = newId('action');
  const claims = { 'x-api-key': 'mine', cookie: 'token=mine', 'proxy-authorization': 'Bearer mine' };
  const envelope = newEnvelope(
    {
      action: {
        id,
        capability_id: METADATA,
        input: {},
        identity: { credential_ref: { id: 'mine', issuer: 'me', scopes: [] } },
      },
    } as never,
    { trace: { authorization: 'mine' }, extensions: { api_key: 'mine' }, idempotency_key: 'mine' },
    { clock: Date.now },
  );
  const answer = await fetch(`${dev.ready.gateway_url}/aip/v1/messages`, {
    method: 'POST',
    headers: { ...claims, authorization: `Bearer ${dev.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(envelope),
  });
  expect(((await answer.json()) as { body: object }).body).toMatchObject({ action_result: { status: 'completed' } });
  const made = (await simulator.requests()).filter(({ headers }) => headers['x-aip-action-id'] === id);
  expect(made.map(({ headers }) => headers.authorization)).toEqual(['Bearer twenty-api-key']);
  expect(JSON.stringify(made)).not.toContain('mine');
  expect(JSON.stringify(made)).not.toContain(dev.token);
});

test('P-077 P-078 a read needs no approval and runs with and without an idempotency key', async () => {
  for (const capability of BOTH) {
    expect((await run(capability)).result.status).toBe('completed');
    expect((await run(capability, {}, { idempotency_key: `once ${capability}` })).result.status).toBe('completed');
  }
});

test.each([
  ['P-081', 'async'],
  ['P-082', 'streaming'],
])('%s the mode %s is refused and asks the provider nothing', async (_id, mode) => {
  for (const capability of BOTH) {
    const { result, requests } = await run(capability, {}, { mode });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'execution.mode_unsupported' } });
    expect(requests).toEqual([]);
  }
});

test.each([
  ['P-158', 401, 'authentication', false],
  ['P-158', 403, 'authentication', false],
  ['P-159', 429, 'remote_temporary', true],
  ['P-160', 500, 'remote_temporary', true],
  ['P-160', 503, 'remote_temporary', true],
  ['P-162', 301, 'remote_rejected', false],
  ['P-162', 302, 'remote_rejected', false],
  ['P-162', 304, 'remote_rejected', false],
  ['P-162', 400, 'remote_rejected', false],
  ['P-162', 404, 'remote_rejected', false],
  ['P-162', 422, 'remote_rejected', false],
])(
  '%s the provider status %i fails with %s, retryable %s, also with a body that is not JSON',
  async (_id, status, code, retryable) => {
    for (const body of ['<html>no</html>', '{"statusCode":1,"messages":["why"],"secretive":"x"}']) {
      await simulator.behave({
        status,
        body: status === 304 ? '' : body,
        headers: { location: `${simulator.url}/rest/open-api/core`, 'retry-after': '7' },
      });
      const { result, requests } = await run(CORE);
      expect(result).toMatchObject({
        status: 'failed',
        error: {
          code: `connector.twenty.${code}`,
          retryable,
          retry_after_ms: 7000,
          details: { remote_status: status, uncertain_outcome: false, provider_request_id: expect.any(String) },
        },
      });
      expect(JSON.stringify(result)).not.toContain('secretive');
      expect(requests).toHaveLength(1);
    }
  },
);

test('P-161 the same read succeeds after a temporary failure', async () => {
  await simulator.behave({ status: 503, times: 1 });
  const idempotency = { idempotency_key: 'again' };
  expect((await run(CORE, {}, idempotency)).result.error).toMatchObject({ retryable: true });
  await simulator.behave();
  expect((await run(CORE, {}, idempotency)).result.status).toBe('completed');
});

test.each([
  ['a connection that ends in the middle of the body', { cutAfter: 40 }],
  ['a connection that ends before the body', { cutAfter: 0 }],
  ['a chunked body that ends in the middle', { declared: 'none' as const, cutAfter: 40 }],
  ['a body shorter than its declared length', { body: '{"a":1}', declared: 4000, cutAfter: 7 }],
])('P-163 %s fails with connector.twenty.transport, retryable', async (_what, behavior) => {
  await simulator.behave(behavior);
  expect((await run(CORE)).result).toMatchObject({
    status: 'failed',
    error: { code: 'connector.twenty.transport', retryable: true, category: 'temporary' },
  });
});

test.each([
  ['text', { body: 'hello', headers: { 'content-type': 'text/plain' } }],
  ['HTML', { body: '<html></html>' }],
  ['half a document', { body: '{"a":' }],
  ['two documents', { body: '{}{}' }],
  ['blanks', { body: '  ' }],
])('P-165 a successful answer that holds %s fails with connector.twenty.invalid_response', async (_what, behavior) => {
  await simulator.behave(behavior);
  expect((await run(CORE)).result).toMatchObject({
    status: 'failed',
    error: { code: 'connector.twenty.invalid_response', retryable: false, details: { remote_status: 200 } },
  });
});

test('a JSON body under another content type is read', async () => {
  await simulator.behave({ body: '{"a":1}', headers: { 'content-type': 'text/plain' } });
  expect(output(await run(CORE)).body).toEqual({ a: 1 });
});

test('P-087 P-088 health is probed on the core path with the key of the workspace, and no body is decoded', async () => {
  const probe = (secret: string) => {
    const ctx = {
      config: { base_url: simulator.url, workspace_id: WORKSPACE },
      secret: () => secret,
      signal: new AbortController().signal,
    };
    return twenty.health?.(ctx as never);
  };
  await simulator.behave({ body: 'not JSON' });
  const earlier = (await simulator.requests()).length;
  await expect(probe('twenty-api-key')).resolves.toMatchObject({ ready: true });
  expect((await simulator.requests()).slice(earlier)).toContainEqual(
    expect.objectContaining({
      path: '/rest/open-api/core',
      headers: expect.objectContaining({ authorization: 'Bearer twenty-api-key' }),
    }),
  );
  await simulator.behave();
  await expect(probe('another')).rejects.toMatchObject({ code: 'connector.twenty.authentication' });
  await simulator.behave({ status: 500 });
  await expect(probe('twenty-api-key')).rejects.toMatchObject({ code: 'connector.twenty.remote_temporary' });
});

test('a good answer of the workspace counts for a while, so that it need not make its document for every probe', async () => {
  const config = { base_url: simulator.url, workspace_id: WORKSPACE };
  const ctx = { config, secret: () => 'twenty-api-key', signal: new AbortController().signal } as never;
  await expect(twenty.health?.(ctx)).resolves.toMatchObject({ ready: true });
  await simulator.behave({ status: 500 });
  await expect(twenty.health?.(ctx)).resolves.toMatchObject({ ready: true });
});

test('P-076 P-079 P-083 P-084 P-117 P-118 P-119 the contract of both capabilities', () => {
  const { capabilities = [], compatibility } = twenty.manifest(config());
  expect(capabilities.map(({ id }) => id)).toEqual(BOTH);
  for (const { contract, ...capability } of capabilities as Required<Capability>[]) {
    expect(capability).toMatchObject({ kind: 'resource', risk: 'low', requires_human_approval: false });
    expect(capability.input_schema).toMatchObject({ type: 'object', additionalProperties: false, properties: {} });
    expect(contract).toMatchObject({
      side_effects: ['external_network', 'read'],
      idempotency: { requirement: 'optional' },
      execution: {
        supports_sync: true,
        supports_async: false,
        supports_streaming: false,
        supports_cancel: false,
        supports_retry: true,
        retry_safety: 'safe',
      },
      data: { sensitivity: 'confidential', contains_pii: true, redaction_required: true },
    });
    expect([contract.approval, contract.transaction, contract.compensation]).toEqual([undefined, undefined, undefined]);
  }
  expect((compatibility as { metadata_resources: string[] }).metadata_resources).toHaveLength(12);
});

const config = (over: object = {}) =>
  checkConfig(twenty, { base_url: 'https://crm.example', workspace_id: WORKSPACE, ...over });

test('P-090 P-091 the five metadata operations and no other can be offered; none takes a path', async () => {
  const operations = ['list', 'get', 'create', 'update', 'delete'].map((name) => `metadata.${name}`);
  const { capabilities = [] } = twenty.manifest(config({ operations }));
  expect(capabilities.map(({ id }) => id)).toEqual(operations.map((name) => `cap:twenty:${name}`));
  for (const { input_schema } of capabilities) {
    expect(input_schema).toMatchObject({ additionalProperties: false });
    expect(Object.keys(input_schema.properties as object)).not.toContain('path');
  }
  expect(() => config({ operations: ['metadata.restore'] })).toThrow('/operations/0');
  const unknown = await client.submit({ capability_id: 'cap:twenty:metadata.restore' });
  expect(JSON.stringify(unknown.body)).toContain('resource.not_found');
  // What becomes a part of the path is of a fixed form.
  const record = WORKSPACE;
  for (const id of ['../../open-api/core', `${record}/../../objects`, `${record}?a=1`, '%2e%2e', '']) {
    const { result, requests } = await run('cap:twenty:metadata.get', { resource: 'objects', id });
    expect([id, result.error?.code]).toEqual([id, 'action.input_schema_invalid']);
    expect(requests).toEqual([]);
  }
  const { requests } = await run('cap:twenty:metadata.get', { resource: 'objects', id: record });
  expect(requests.map(({ path }) => path)).toEqual([`/rest/metadata/objects/${record}`]);
});

test('P-089 the twelve metadata resources and no other are read, each by its fixed route', async () => {
  const names = [
    ...'objects fields views viewFields viewFilters viewGroups viewSorts viewFilterGroups'.split(' '),
    ...'pageLayouts pageLayoutTabs pageLayoutWidgets webhooks'.split(' '),
  ];
  expect(METADATA_RESOURCES).toEqual(names);
  const needs: Record<string, object> = {
    pageLayoutTabs: { pageLayoutId: 'p' },
    pageLayoutWidgets: { pageLayoutTabId: 't' },
  };
  for (const resource of names) {
    const query = needs[resource];
    const { result, requests } = await run('cap:twenty:metadata.list', { resource, ...(query && { query }) });
    expect(result).toMatchObject({ status: 'completed', output: { http_status: 200 } });
    expect(requests[0]?.path.split('?')[0]).toBe(`/rest/metadata/${resource}`);
    expect(JSON.stringify(result)).not.toContain('never-to-be-seen');
  }
  for (const resource of ['apiKeys', '../open-api/core', 'objects/x', '']) {
    const { result, requests } = await run('cap:twenty:metadata.list', { resource });
    expect(result.error?.code).toBe('action.input_schema_invalid');
    expect(requests).toEqual([]);
  }
  const refused = await run('cap:twenty:metadata.list', { resource: 'webhooks', query: { limit: 1 } });
  expect(refused.result.error?.code).toBe('connector.twenty.invalid_request');
  expect(refused.requests).toEqual([]);
});

test.each([
  ['http off loopback', { base_url: 'http://crm.example' }, 'allow_insecure_http'],
  ['a path', { base_url: 'https://crm.example/api' }, 'origin only'],
  ['credentials', { base_url: 'https://me:pw@crm.example' }, 'origin only'],
  ['no URL', { base_url: 'crm.example' }, 'absolute https URL'],
  ['another form of workspace', { workspace_id: 'mine' }, '/workspace_id'],
  ['P-172 a ceiling above 256 MiB', { max_response_bytes: 268_435_457 }, '/max_response_bytes'],
])('a configuration with %s is refused in words', (_what, over, words) => {
  expect(() => config(over)).toThrow(words);
});

test('http off loopback is admitted by allow_insecure_http, P-172 and a ceiling of 256 MiB as it is', () => {
  expect(
    config({ base_url: 'http://crm.example', allow_insecure_http: true, max_response_bytes: 268_435_456 }),
  ).toBeTruthy();
});

test('POST /webhooks/twenty does not exist', async () => {
  const [replica] = dev.ready.instances[0]?.replicas ?? [];
  const url = new URL(replica?.endpoint as string);
  const answer = await fetch(join(url.origin, 'webhooks', 'twenty').replace(':/', '://'), {
    method: 'POST',
    body: '{}',
  });
  expect(answer.status).toBe(404);
});

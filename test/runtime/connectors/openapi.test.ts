import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkConfig } from '@aip/runtime/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openapi } from '#runtime/connectors/openapi/openapi.js';
import { buildRequest } from '#runtime/connectors/openapi/request.js';
import { compileJsonSchema } from '#runtime/protocol/content/schema-check.js';
import { checkManifestRules } from '#runtime/protocol/decode/rules.js';
import type { ActionResult } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';

/** An API with what such documents have: shared parameters, references in a circle, 3.0 forms, several media types. */
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example/v2' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        parameters: [
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, exclusiveMinimum: true } },
        ],
        responses: {
          200: {
            content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } } },
          },
          default: { description: 'failure' },
        },
      },
      post: {
        operationId: 'addPet',
        requestBody: { $ref: '#/components/requestBodies/Pet' },
        responses: { 201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
      },
    },
    '/pets/{id}': {
      parameters: [
        { $ref: '#/components/parameters/Id' },
        { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
      ],
      get: {
        operationId: 'getPet',
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
      },
      delete: { operationId: 'deletePet', responses: { 204: { description: 'gone' } } },
    },
    '/upload': {
      post: {
        operationId: 'upload',
        requestBody: { content: { 'image/png': { schema: { type: 'string' } } } },
        responses: {},
      },
    },
  },
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    requestBodies: {
      Pet: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
    },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          nick: { type: 'string', nullable: true, example: 'x' },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
  },
};
const configOf = (over: object = {}) => ({
  name: 'pets',
  base_url: 'https://pets.example',
  document: DOCUMENT,
  operations: ['listPets', 'addPet', 'getPet', 'deletePet'],
  credential: { scheme: 'header', header: 'X-API-Key', secret: 'api-token' },
  ...over,
});

test('a manifest follows from the document: schemas kept, risk and contract by method', () => {
  const manifest = openapi.manifest(checkConfig(openapi, configOf()));
  expect(check('Manifest', manifest)).toEqual([]);
  checkManifestRules(manifest);
  const byId = Object.fromEntries((manifest.capabilities ?? []).map((each) => [each.id, each]));
  expect(Object.keys(byId)).toEqual(
    ['listPets', 'addPet', 'getPet', 'deletePet'].map((name) => `cap:openapi:pets.${name}`),
  );
  expect(byId['cap:openapi:pets.listPets']).toMatchObject({
    name: 'List pets',
    risk: 'low',
    contract: { side_effects: ['external_network', 'read'], execution: { retry_safety: 'safe' } },
  });
  expect(byId['cap:openapi:pets.addPet']).toMatchObject({
    risk: 'medium',
    requires_human_approval: false,
    contract: { execution: { retry_safety: 'unsafe' } },
  });
  expect(byId['cap:openapi:pets.deletePet']).toMatchObject({
    risk: 'high',
    requires_human_approval: true,
    contract: { approval: { required: true }, side_effects: ['external_network', 'delete'] },
  });

  const input = compileJsonSchema(byId['cap:openapi:pets.addPet']?.input_schema);
  expect(input({ body: { name: 'Rex', nick: null, parent: { name: 'Old' } } })).toEqual([]);
  for (const wrong of [
    {},
    { body: {} },
    { body: { name: 'Rex', parent: { name: 7 } } },
    { body: { name: 'x' }, path: {} },
  ])
    expect(input(wrong)).not.toEqual([]);
  const listed = compileJsonSchema(byId['cap:openapi:pets.listPets']?.input_schema);
  expect(listed({ query: { limit: 1, tag: ['a', 'b'] } })).toEqual([]);
  expect(listed({ query: { limit: 0 } })).not.toEqual([]);
  expect(listed({ query: { other: 1 } })).not.toEqual([]);
  const output = compileJsonSchema(byId['cap:openapi:pets.getPet']?.output_schema);
  expect(output({ http_status: 200, body: { name: 'Rex' } })).toEqual([]);
  expect(output({ http_status: 200, body: { nick: 'x' } })).not.toEqual([]);
});

test('choices override what follows from the method', () => {
  const operations = [
    { operation: 'addPet', risk: 'critical', effect: 'idempotent' },
    { operation: 'deletePet', approval: false },
  ];
  const { capabilities = [] } = openapi.manifest(checkConfig(openapi, configOf({ operations })));
  expect(capabilities).toMatchObject([
    { risk: 'critical', requires_human_approval: true, contract: { idempotency: { requirement: 'required' } } },
    { risk: 'high', requires_human_approval: false },
  ]);
});

test.each([
  ['an operation that the document lacks', { operations: ['nothing'] }, '/operations/0 names no operation'],
  ['an operation named twice', { operations: ['getPet', 'getPet'] }, '/operations/1 names getPet a second time'],
  ['a body that is not JSON', { operations: ['upload'] }, 'its request body is not JSON'],
  ['a document of another version', { document: { ...DOCUMENT, openapi: '2.0' } }, '/document/openapi'],
  ['a header credential without its header', { credential: { scheme: 'header', secret: 'x' } }, '/credential/header'],
  ['plain http', { base_url: 'http://pets.example' }, 'allow_insecure_http'],
  [
    'a reference that leaves the document',
    { document: { ...DOCUMENT, paths: { '/x': { $ref: 'https://elsewhere.example/x' } } } },
    'bundle it first',
  ],
])('%s is refused in words', (_what, over, words) => {
  expect(() => checkConfig(openapi, configOf(over))).toThrow(words);
});

test('values stay in their place in the request', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true },
    { name: 'q', in: 'query', required: false },
    { name: 'X-A', in: 'header', required: false },
  ] as const;
  const build = (id: string, header = 'a') =>
    buildRequest('/v2', '/pets/{id}/toys', parameters, {
      path: { id },
      query: { q: ['a&b', '1'] },
      header: { 'X-A': header },
    });
  expect(build('a/b?c#d')).toEqual({ target: '/v2/pets/a%2Fb%3Fc%23d/toys?q=a%26b&q=1', headers: { 'x-a': 'a' } });
  for (const id of ['', '.', '..']) expect(build(id)).toHaveProperty('problem');
  expect(build('x', 'a\r\nb: c')).toHaveProperty('problem');
});

interface Seen {
  method: string;
  url: string;
  key: unknown;
  body: string;
}
const seen: Seen[] = [];
const provider = createServer(async (request, response) => {
  const parts = await Array.fromAsync(request as AsyncIterable<Buffer>);
  const { method = '', url = '' } = request;
  seen.push({ method, url, key: request.headers['x-api-key'], body: Buffer.concat(parts).toString() });
  if (url.endsWith('/missing')) return response.writeHead(404).end('<html>');
  if (url.endsWith('/wrong')) return response.end('{"nick":"nobody"}');
  response.setHeader('x-request-id', 'req-7');
  response.end(method === 'GET' && url.startsWith('/v2/pets?') ? '[{"name":"Rex"}]' : '{"name":"Rex"}');
});
let dev: Dev;
let client: TestClient;
beforeAll(async () => {
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const operations = ['listPets', 'addPet', 'getPet'];
  const instance = {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: { name: 'pets' },
    spec: {
      connector: { type: 'openapi', version: '1.0.0' },
      tenantId: 'demo',
      config: configOf({ base_url, operations }),
      secrets: [{ file: 'api-token', secretKeyRef: { name: 'pets', key: 'api-token' } }],
    },
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pets' }, stringData: { 'api-token': 'k-1' } };
  dev = await startDev({ documents: `${JSON.stringify(secret)}\n---\n${JSON.stringify(instance)}` });
  client = clientOf(dev);
});
afterAll(async () => {
  await dev?.stop();
  provider.closeAllConnections();
  provider.close();
});

async function run(operation: string, input: object): Promise<ActionResult> {
  seen.length = 0;
  const { body } = await client.submit({ capability_id: `cap:openapi:pets.${operation}`, input });
  return (body as { body: { action_result: ActionResult } }).body.action_result;
}

test('operations run through the fleet, with the credential of the Secret and the path of the server', async () => {
  expect(await run('listPets', { query: { tag: ['a', 'b'], limit: 5 } })).toMatchObject({
    status: 'completed',
    output: { http_status: 200, provider_request_id: 'req-7', body: [{ name: 'Rex' }] },
  });
  expect(seen).toEqual([{ method: 'GET', url: '/v2/pets?tag=a&tag=b&limit=5', key: 'k-1', body: '' }]);
  expect(await run('addPet', { body: { name: 'Rex' } })).toMatchObject({ status: 'completed' });
  expect(seen).toMatchObject([{ method: 'POST', url: '/v2/pets', body: '{"name":"Rex"}' }]);
});

test('failures have the codes of a provider connector, and an answer against its schema fails', async () => {
  expect((await run('getPet', { path: { id: 'missing' } })).error).toMatchObject({
    code: 'connector.openapi.remote_rejected',
  });
  expect((await run('getPet', { path: { id: '..' } })).error).toMatchObject({
    code: 'connector.openapi.invalid_request',
  });
  expect(seen).toEqual([]);
  expect((await run('getPet', { path: { id: 'wrong' } })).error).toMatchObject({
    code: 'action.output_schema_invalid',
  });
  expect((await run('getPet', { path: {} })).error).toMatchObject({ code: 'action.input_schema_invalid' });
});

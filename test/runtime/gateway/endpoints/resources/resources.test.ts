import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { resourceSource } from '#runtime/gateway/endpoints/resources/known.js';
import { listResources } from '#runtime/gateway/endpoints/resources/list.js';
import type { Resource } from '#runtime/protocol/types.js';
import { type Dev, startDev } from '../../../../support/dev.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../support/gateway.ts';

/** An instance of a connector of the tests. */
const instanceOf = (type: string, config: object) => ({
  apiVersion: 'fleet.aip.dev/v1alpha1',
  kind: 'ConnectorInstance',
  metadata: {
    name: type,
    annotations: {
      'fleet.aip.dev/module': resolve(
        import.meta.dirname,
        '..',
        '..',
        '..',
        '..',
        'support',
        'connectors',
        `${type}-connector.ts`,
      ),
    },
  },
  spec: { connector: { type, version: '1.0.0' }, tenantId: 'demo', replicas: 1, config },
});
const HANDBOOK = '/aip/v1/resources/res:library:handbook';

let dev: Dev;
let gateway: HttpGateway;

beforeAll(async () => {
  dev = await startDev({
    documents: [instanceOf('library', { edition: 'first' }), instanceOf('exhibit', {})]
      .map((each) => JSON.stringify(each))
      .join('\n---\n'),
  });
  gateway = await startHttpGateway({
    databaseUrl: dev.ready.database_url,
    principals: [
      principalEntry('reader', { tenant_id: 'demo', scopes: ['resource:read'] }),
      principalEntry('second', { tenant_id: 'demo', scopes: ['resource:read'] }),
      principalEntry('staff', { tenant_id: 'demo', scopes: ['resource:read', 'library:staff'] }),
      principalEntry('unscoped', { tenant_id: 'demo', scopes: ['action:read'] }),
      principalEntry('foreign', { tenant_id: 'other', scopes: ['*'] }),
      principalEntry('auditor', { tenant_id: 'other', scopes: ['resource:read', 'tenant:read:any'] }),
      principalEntry('untenanted', { scopes: ['resource:read'] }),
    ],
    env: {
      AIP_GATEWAY_TRUST_DOMAIN: dev.ready.trust_domain,
      AIP_GATEWAY_CONNECTOR_REGISTRY_URL: dev.ready.database_url,
      AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(dev.dataDir, 'keys', 'gateway.seed'),
      AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      AIP_GATEWAY_CONNECTOR_FLEET_ALLOW_HTTP: 'true',
      AIP_GATEWAY_CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'true',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await dev?.stop();
});

const get = (path: string, token = 'reader', headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.call('GET', path, { token, headers });
const list = (query = '', token = 'reader'): Promise<Answer> => get(`/aip/v1/resources${query}`, token);
const ids = (answer: Answer): string[] => answer.body.resources.map((each: { id: string }) => each.id);
const codeOf = (answer: Answer): string => errorOf(answer).code;

test('N-213 the list has the resources that connectors declare and each capability of kind resource that none declares', async () => {
  const answer = await list();
  expect(answer.status).toBe(200);
  expect(ids(answer)).toEqual([
    'cap:library:broken',
    'cap:library:register',
    'res:exhibit:vase',
    'res:library:handbook',
    ...[1, 2, 3, 4, 5].map((number) => `res:library:page-${number}`),
  ]);
  expect(answer.body.resources[1]).toEqual({
    id: 'cap:library:register',
    name: 'register',
    capability_id: 'cap:library:register',
    description: 'The register of the library',
    tenant_id: 'demo',
  });
});

test('N-214 capability_id leaves the resources of that capability', async () => {
  expect(ids(await list('?capability_id=cap:library:register'))).toEqual(['cap:library:register']);
  expect(ids(await list('?capability_id=cap:none'))).toEqual([]);
});

test('N-215 kind leaves the resources of that kind', async () => {
  expect(ids(await list('?kind=document'))).toEqual(['res:library:handbook']);
  expect(ids(await list('?kind=page'))).toHaveLength(5);
});

test("N-216 tenant_id takes the caller's own tenant; another tenant's shows nothing of it", async () => {
  expect(ids(await list('?tenant_id=demo&kind=document'))).toEqual(['res:library:handbook']);
  const foreign = await list('?tenant_id=demo', 'foreign');
  expect([foreign.status, codeOf(foreign)]).toEqual([401, 'auth.tenant_mismatch']);
  expect(ids(await list('', 'foreign'))).toEqual([]);
  expect(ids(await list('?tenant_id=demo&kind=page', 'auditor'))).toHaveLength(5);
});

test('N-217 N-218 pages of limit rows follow by the cursor without a lost or repeated row', async () => {
  const whole = ids(await list());
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await list(`?limit=3${cursor && `&cursor=${cursor}`}`);
    expect(ids(page).length).toBeLessThanOrEqual(3);
    seen.push(...ids(page));
    cursor = page.body.cursor ?? '';
  } while (cursor !== '');
  expect(seen).toEqual(whole);
});

test('N-417 pages have 100 rows by default; limit is clamped to 1 through 1000', async () => {
  expect(ids(await list('?limit=0'))).toHaveLength(1);
  expect(ids(await list('?limit=1001'))).toEqual(ids(await list()));
  const own = Array.from({ length: 1002 }, (_, n) => ({
    id: `res:${n}`,
    name: `${n}`,
    kind: 'page',
    capability_id: 'x',
  }));
  const deps = { resources: resourceSource(own as Resource[], undefined), clock: Date.now };
  const reader: Identity = {
    principal: { id: 'human:reader', kind: 'human' },
    scopes: new Set(['resource:read']),
    tenantId: 'demo',
    roles: [],
    scheme: 'bearer',
  };
  const rowsOf = async (limit?: number) => (await listResources(deps, reader, { limit })).resources.length;
  expect([await rowsOf(), await rowsOf(0), await rowsOf(1), await rowsOf(1000), await rowsOf(1001)]).toEqual([
    100, 1, 1, 1000, 1000,
  ]);
});

test('N-047 N-048 a cursor of another filter, caller or route is refused', async () => {
  const { cursor } = (await list('?limit=1')).body;
  for (const answer of [
    await list(`?kind=page&cursor=${cursor}`),
    await list(`?cursor=${cursor}`, 'second'),
    await gateway.call('GET', `/aip/v1/actions?cursor=${cursor}`, { token: 'unscoped' }),
    await list('?cursor=made-up'),
  ])
    expect([answer.status, codeOf(answer)]).toEqual([400, 'query.cursor_invalid']);
});

test('N-219 a read runs the capability with the empty input under the rights of the reader', async () => {
  const answer = await get('/aip/v1/resources/cap:library:register');
  expect([answer.status, answer.body.content]).toEqual([
    200,
    [{ type: 'json', data: { edition: 'first', entries: 3, input: {} } }],
  ]);
  expect(answer.body.resource.id).toBe('cap:library:register');
  expect(answer.body.etag).toMatch(/^sha256:[0-9a-f]{64}$/);
  const actions = await gateway.call('GET', '/aip/v1/actions?capability_id=cap:library:register', {
    token: 'unscoped',
  });
  expect(actions.body.total_size).toBe(0);
});

test("N-220 a read takes the caller's own tenant_id; another tenant's shows nothing", async () => {
  expect((await get(`${HANDBOOK}?tenant_id=demo`)).status).toBe(200);
  const named = await get(`${HANDBOOK}?tenant_id=demo`, 'foreign');
  expect([named.status, codeOf(named)]).toEqual([401, 'auth.tenant_mismatch']);
  for (const token of ['foreign', 'untenanted']) expect(codeOf(await get(HANDBOOK, token))).toBe('resource.not_found');
  expect(codeOf(await get(`${HANDBOOK}?tenant_id=demo`, 'auditor'))).toBe('auth.tenant_mismatch');
});

test('N-221 N-502 version selects: the present one reads, an unknown one is not found, none is needed', async () => {
  expect((await get(`${HANDBOOK}?version=1.0.0`)).body.content).toEqual((await get(HANDBOOK)).body.content);
  const unknown = await get(`${HANDBOOK}?version=0.9.0`);
  expect([unknown.status, codeOf(unknown)]).toEqual([400, 'resource.not_found']);
});

test('N-222 accept takes a list of media types: any one that fits serves, none is 406', async () => {
  for (const accept of ['text/markdown', 'image/png,text/markdown', 'text/*', '*/*', 'TEXT/Markdown;q=0.5'])
    expect((await get(`${HANDBOOK}?accept=${encodeURIComponent(accept)}`)).body.content).toEqual([
      { type: 'text', text: '# Handbook first', format: 'markdown' },
    ]);
  const refused = await get(`${HANDBOOK}?accept=image/png,application/json`);
  expect([refused.status, codeOf(refused)]).toEqual([406, 'resource.not_acceptable']);
  const partsFor = async (accept: string): Promise<string[]> => {
    const { body } = await get(`/aip/v1/resources/res:exhibit:vase?accept=${encodeURIComponent(accept)}`);
    return body.content.map(({ type }: { type: string }) => type);
  };
  expect(await partsFor('text/markdown')).toEqual(['text']);
  for (const both of ['text/markdown,application/json', 'application/json, image/png ,text/*'])
    expect(await partsFor(both)).toEqual(['text', 'json']);
});

test('a read answers If-None-Match with 304 while the content stays', async () => {
  const first = await get(HANDBOOK);
  const etag = first.headers.get('etag') as string;
  expect(etag).toBe(`"${first.body.etag}"`);
  for (const header of [etag, `"other", W/${etag}`, '*']) {
    const again = await get(HANDBOOK, 'reader', { 'if-none-match': header });
    expect([again.status, again.body]).toEqual([304, '']);
  }
  expect((await get(HANDBOOK, 'reader', { 'if-none-match': '"other"' })).status).toBe(200);
});

test('the policy of a resource hides it from lists and refuses reads, except for who holds a required scope', async () => {
  const hidden = await get('/aip/v1/resources/res:library:staff');
  expect([hidden.status, codeOf(hidden)]).toEqual([401, 'auth.not_authorized']);
  expect(ids(await list('?kind=document', 'staff'))).toEqual(['res:library:handbook', 'res:library:staff']);
  expect((await get('/aip/v1/resources/res:library:staff', 'staff')).status).toBe(200);
});

test('the server’s own resources stand before those of connectors under the same id, each in its tenant', async () => {
  const own = [
    { id: 'res:library:handbook', name: 'Ours' },
    { id: 'res:elsewhere', name: 'Of another tenant', tenant_id: 'other' },
  ];
  const connector = { id: 'res:library:handbook', name: 'Theirs', tenant_id: 'demo' };
  const registry = {
    catalog: {
      resources: async () => [{ resource: connector, capabilityId: 'cap:library:handbook', versions: new Map() }],
    },
  } as unknown as Parameters<typeof resourceSource>[1];
  const source = resourceSource(own, registry);
  expect(await source('demo')).toEqual([{ resource: own[0] }]);
  expect(await source(null)).toEqual([{ resource: own[0] }]);
  expect((await source('other')).map((each) => each.resource.name)).toEqual(['Of another tenant', 'Ours']);
});

test('an expired resource is gone, an unknown one not found, and a caller without resource:read is refused', async () => {
  expect(codeOf(await get('/aip/v1/resources/res:library:old'))).toBe('resource.gone');
  expect(codeOf(await get('/aip/v1/resources/res:none'))).toBe('resource.not_found');
  expect(codeOf(await list('', 'unscoped'))).toBe('auth.not_authorized');
  expect(codeOf(await get(HANDBOOK, 'unscoped'))).toBe('auth.not_authorized');
});

test('a read whose action fails answers its error', async () => {
  const answer = await get('/aip/v1/resources/cap:library:broken');
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(errorOf(answer).message).not.toContain('shelf');
});

test('both queries are bodies of envelopes too', async () => {
  const ask = (body: object) => {
    const envelope = { ...actionEnvelope(), body, message_type: `aip.resource.v1.${Object.keys(body)[0]}` };
    return gateway.call('POST', '/aip/v1/messages', { token: 'reader', body: envelope });
  };
  const listed = await ask({ resource_list_request: { kind: 'document' } });
  expect(listed.body.body.resource_list.resources).toHaveLength(1);
  const read = await ask({ resource_read_request: { resource_id: 'res:library:handbook' } });
  expect(read.body.body.resource_read_result.content[0].text).toBe('# Handbook first');
});

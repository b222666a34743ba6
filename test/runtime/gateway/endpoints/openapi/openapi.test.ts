import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertTransaction, newTransaction } from '#runtime/gateway/actions/transaction/record.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { parameterExample } from '#runtime/gateway/endpoints/openapi/document.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Body } from '#runtime/protocol/types.js';
import { encodeFrame } from '#runtime/protocol/wire/native-http.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { admitInstance } from '../../../../support/admit.ts';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { newDelivery } from '../../callbacks/support.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  startHttpGateway,
  TOKEN,
} from '../../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../../support/process.ts';
import { document, OPERATIONS, pathOf, problemOf, statusesOf } from './fixture.ts';

type Operation = (typeof OPERATIONS)[number];

const RUNS = 25;
/** Errors that say to come back later about what the request names, and no fault. */
const MAY_BE_503 = ['action.result_not_ready', 'connector.replica_unavailable', 'connector.binding_unavailable'];
const ids: Record<string, string> = {};
let gateway: HttpGateway;
let pool: Pool;
let folder: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-openapi-'));
  await writeFile(join(folder, 'seed'), newSeedHex(), { mode: 0o600 });
  database = await freshDatabase();
  const env = Object.entries(fleetVariables()).map(([name, value]) => [`AIP_GATEWAY_${name}`, value]);
  gateway = await startHttpGateway({ databaseUrl: database.url, env: Object.fromEntries(env) });
  pool = openPool({ url: database.url, max: 2 });
  const registry = openRegistry({ data: pool, clock: Date.now });
  await admitInstance(registry, 'bank', 'acme', [
    { id: 'cap:bank:pay', name: 'Pay', kind: 'tool', input_schema: {}, requires_human_approval: true },
    { id: 'cap:bank:rates', name: 'Rates', kind: 'resource', input_schema: {} },
  ]);
  const submit = (body: unknown) => gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body });
  const done = await submit(actionEnvelope());
  ids.action_id = done.body.body.action_result.action_id;
  ids.chain_id = `action:${ids.action_id}`;
  ids.receipt_id = `rcpt_${ids.action_id}_action_accepted`;
  ids.resource_id = 'cap:bank:rates';
  const waiting = await submit(actionEnvelope({ capability_id: 'cap:bank:pay' }));
  ids.approval_id = waiting.body.body.action_result.error.details.approval_id;
  const session = await submit(
    newEnvelope(
      {
        handshake: {
          client: { id: 'service:edge', kind: 'service' },
          purpose: 'test',
          profiles: ['aip.native.http.v1'],
        },
      } as never,
      {},
      { clock: Date.now },
    ),
  );
  ids.session_id = session.body.body.handshake_response.session_id;
  ids.transaction_id = newId('transaction');
  ids.plan_id = `plan:${ids.transaction_id}`;
  const owner = { tenant_id: 'acme', principal_id: 'service:edge', principal_kind: 'service' };
  const action_id = ids.action_id as string;
  const capability_id = 'cap:bank:rates';
  await insertTransaction(
    pool,
    newTransaction(owner, ids.transaction_id, {
      action_id,
      capability_id,
      mode: 'commit',
      status: 'committed',
      request: { id: action_id, capability_id, input: {}, transaction: { mode: 'commit', plan_id: ids.plan_id } },
      plan_id: ids.plan_id,
      effect: true,
      created_at: Date.now(),
      updated_at: Date.now(),
    }),
  );
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The variables, without prefix, of a gateway with a fleet over the database of this file. */
function fleetVariables(): Record<string, string> {
  return {
    CONNECTOR_REGISTRY_URL: database.url,
    CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
  };
}

/** Sends one request; a stream is read to its first bytes and left. */
async function send(
  operation: Operation,
  path: string,
  options: { url?: string; headers?: Record<string, string>; body?: string | Uint8Array; token?: string | null } = {},
) {
  const { token = TOKEN, headers = {}, body } = options;
  const abort = new AbortController();
  const response = await fetch(`${options.url ?? gateway.url}${path}`, {
    method: operation.method.toUpperCase(),
    redirect: 'manual',
    signal: abort.signal,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body: body as string }),
  });
  const type = response.headers.get('content-type');
  const stream = type?.startsWith('text/event-stream');
  const text = stream ? '' : await response.text();
  if (stream) abort.abort();
  return { status: response.status, type, text };
}

describe('the document', () => {
  test('is OpenAPI 3.1, served as it is made, with an id, a summary and an example of every operation', async () => {
    const { body, headers } = await gateway.call('GET', '/aip/v1/openapi.json');
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(body.openapi).toBe('3.1.0');
    const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object));
    expect(new Set(operations.map((each) => each.operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      expect(operation.summary).not.toBe('');
      for (const parameter of operation.parameters) expect(parameter.example).toBeDefined();
    }
  });

  test('has every route that the gateway serves', () => {
    const source = join(import.meta.dirname, '..', '..', '..', '..', '..', 'runtime', 'src', 'gateway');
    const served = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(source, file), 'utf8').matchAll(/serve\(\s*\w+, \w+, ['`]([^'`]+)['`]/g),
      ])
      .map((match) => (match[1] as string).replace(/:(\w+)/g, '{$1}'))
      .filter((path) => !path.includes('$'));
    expect(served.length).toBeGreaterThan(20);
    for (const path of served) expect(Object.keys(document.paths)).toContain(path);
  });

  test('N-500: every native route is under /aip/v1; outside are the service routes alone', async () => {
    const paths = Object.keys(document.paths);
    const outside = paths.filter((path) => !path.startsWith('/aip/v1/'));
    expect(outside.sort()).toEqual(['/', '/health', '/metrics', '/ready']);
    for (const path of paths.map((each) => each.replace('/aip/v1', '').replace(/[{}]/g, ''))) {
      if (outside.includes(path)) continue;
      const { status, body } = await gateway.call('GET', path, { token: TOKEN });
      expect([path, status, errorOf({ status, body } as never).code]).toEqual([path, 404, 'http.not_found']);
    }
  });

  test('every reference leads to a schema, and every example passes its schema', () => {
    const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, validateFormats: false });
    ajv.addSchema({ $id: 'https://test/document', components: document.components });
    const examples: [string, unknown, object][] = [];
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { schema, example, examples: several } = value as Record<string, unknown>;
      if (schema && example !== undefined) examples.push([at, example, schema as object]);
      if (schema && several)
        for (const [name, { value: each }] of Object.entries(several as Record<string, { value: unknown }>))
          examples.push([`${at}/${name}`, each, schema as object]);
      for (const [key, item] of Object.entries(value)) if (key !== 'example') walk(item, `${at}/${key}`);
    };
    walk(document.paths, '');
    expect(examples.length).toBeGreaterThan(300);
    const wrong = examples.flatMap(([at, example, schema]) => {
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"https://test/document#/components'));
      const validate = ajv.compile(own);
      return validate(example)
        ? []
        : [`${at}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(example).slice(0, 200)}`];
    });
    expect(wrong).toEqual([]);
  });

  test('the page shows every route and loads nothing', async () => {
    const { status, body, headers } = await gateway.call('GET', '/aip/v1/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const path of Object.keys(document.paths)) expect(body).toContain(`<code>${path}</code>`);
    expect(body).not.toMatch(/<script|src=|@import|url\(|<link|https?:\/\//);
  });
});

describe('responses pass the document and are never a fault of the server', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('', 'true', 'false', '0', '-1', '1001', '99999999999999999999', '1e3', '%', '\u0000', '💥', 'null'),
    fc.string({ minLength: 250, maxLength: 300 }),
  );
  const sampleOf = (name: string, schema: Record<string, unknown>): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(String(parameterExample(name, schema))) },
      { weight: 1, arbitrary: text },
    );

  test.each(
    OPERATIONS.filter(({ path }) => !['/aip/v1/docs', '/aip/v1/ws', '/aip/v1/openapi.json'].includes(path)).map(
      (operation) => [`${operation.method} ${operation.path}`, operation] as const,
    ),
  )('%s', async (_title, operation) => {
    const query = Object.entries(operation.query ?? {});
    const request = fc.record({
      path: fc.record(
        Object.fromEntries(
          Object.entries(operation.pathParameters ?? {}).map(([name, { schema = {} }]) => [
            name,
            fc.oneof(
              { weight: 3, arbitrary: fc.constant(ids[name] ?? String(parameterExample(name, schema))) },
              { weight: 1, arbitrary: sampleOf(name, schema).filter((each) => each !== '' && !/^\.{1,2}$/.test(each)) },
            ),
          ]),
        ),
      ),
      query: fc
        .subarray(query)
        .chain((chosen) =>
          fc.record(Object.fromEntries(chosen.map(([name, { schema = {} }]) => [name, sampleOf(name, { ...schema })]))),
        ),
      extra: fc.option(fc.tuple(fc.string({ minLength: 1 }), text), { freq: 6 }),
      body: fc.oneof(
        fc.constant(JSON.stringify(actionEnvelope())),
        fc.json(),
        fc.object().map((changes) => JSON.stringify({ ...actionEnvelope(), ...changes })),
        fc.string(),
        fc.constant('{"reason":"because"}'),
      ),
      authorized: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ path, query: values, extra, body, authorized }) => {
        const search = new URLSearchParams(Object.entries(values) as [string, string][]);
        if (extra) search.append(...extra);
        const url = `${pathOf(operation, path as Record<string, string>)}${search.size > 0 ? `?${search}` : ''}`;
        const sent = operation.body ? { body, headers: { 'content-type': 'application/json' } } : {};
        const answer = await send(operation, url, { ...sent, token: authorized ? TOKEN : null });
        const strange = [404, 405].includes(answer.status) && operation.pathParameters !== undefined;
        const problem = strange ? undefined : problemOf(operation, answer.status, answer.type, answer.text);
        expect([url, problem]).toEqual([url, undefined]);
        if (answer.status < 500 || operation.path === '/ready') return;
        const { code } =
          JSON.parse(answer.text).error ??
          errorOf({ ...answer, body: JSON.parse(answer.text), headers: new Headers() });
        expect([url, MAY_BE_503]).toEqual([url, expect.arrayContaining([code])]);
      }),
      { numRuns: RUNS },
    );
  });
});

test('N-004 there is a query for actions, events, sessions, approvals, transactions, deliveries, receipts, audit, resources and the catalog', async () => {
  for (const path of [
    '/actions',
    `/actions/${ids.action_id}`,
    '/events',
    '/sessions',
    '/approvals',
    `/transactions/${ids.transaction_id}`,
    '/callback-deliveries',
    `/receipts/${encodeURIComponent(ids.chain_id as string)}`,
    '/audit/events',
    '/resources',
    '/capabilities',
  ]) {
    const answer = await gateway.call('GET', `/aip/v1${path}`, { token: TOKEN });
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test('N-082 the manifest has no capability of the tenant’s catalog, also to its caller and by name', async () => {
  const catalog = await gateway.call('GET', '/aip/v1/capabilities', { token: TOKEN });
  const known = catalog.body.capabilities.map((each: { capability: { id: string } }) => each.capability.id);
  expect(known).toEqual(['cap:bank:pay', 'cap:bank:rates']);
  for (const [query, expected] of [
    ['', ['cap:aip:server:health']],
    ['?capability_id=cap:bank:pay,cap:bank:rates', []],
  ] as const)
    for (const token of [TOKEN, undefined]) {
      const { status, body } = await gateway.call('GET', `/aip/v1/manifest${query}`, { token });
      expect([status, body.capabilities.map(({ id }: { id: string }) => id)]).toEqual([200, expected]);
    }
});

test('N-505 the codec names application/aip+json, deployed routes answer application/json to both media types', async () => {
  expect(encodeFrame(actionEnvelope()).metadata['content-type']).toBe('application/aip+json');
  for (const type of ['application/json', 'application/aip+json']) {
    const headers = { 'content-type': type };
    const answer = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, headers, body: actionEnvelope() });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  }
});

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Every time in an answer, by its path: members that are named as times, and numbers that are milliseconds since 1970. */
function timesIn(value: unknown, path: string, found: Map<string, unknown>): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, each] of Object.entries(value)) {
    const at = `${path}.${Array.isArray(value) ? '*' : name}`;
    if (/(_at|_until|timestamp)$/.test(name) || (typeof each === 'number' && each > 1e12)) found.set(at, each);
    timesIn(each, at, found);
  }
  return found;
}

test('N-046 every time of every answer is an RFC 3339 string, also in event data and nested views', async () => {
  const client = { id: 'service:edge', kind: 'service' as const };
  const send = (body: Body): Promise<Answer> => {
    const envelope = newEnvelope(body, {}, { clock: Date.now });
    return gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: envelope });
  };
  const opened = await send({ handshake: { client, purpose: 'times', profiles: ['aip.native.http.v1'] } });
  const { session_id, resume_token } = opened.body.body.handshake_response;
  await gateway.call('POST', `/aip/v1/sessions/${session_id}/resume`, { token: TOKEN, body: { resume_token } });
  const capability_id = 'cap:aip:server:health';
  const approval_request = {
    id: newId('approval'),
    action_id: newId('action'),
    capability_id,
    requester: client,
    subject: client,
    approver_selector: { type: 'tenant_policy' as const },
    reason: 'times',
    evidence: [
      { id: 'input', kind: 'input_snapshot', hash: actionInputHash({ capability_id, input: {} }), redacted: true },
    ],
    expires_at: formatTime(Date.now() + 3_600_000),
  };
  expect((await send({ approval_request })).status).toBe(200);
  const callback = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:9/' };
  const owner = { tenant_id: 'acme', principal_id: client.id, principal_kind: client.kind };
  await insertDeliveries(pool, [newDelivery(callback, owner)]);
  const read = async (path: string): Promise<Map<string, unknown>> => {
    const { status, body } = await gateway.call('GET', `/aip/v1${path}`, { token: TOKEN });
    expect([path, status]).toEqual([path, 200]);
    return timesIn(body, '', new Map());
  };
  const rotated = '/events?kind=aip.session.resume_token_rotated&limit=1000';
  await until('the event of the session is shown', async () => (await read(rotated)).size > 0);
  const action = `/actions/${ids.action_id}`;
  for (const [path, ...members] of [
    ['/actions?include_results=true&include_receipts=true', '.actions.*.started_at', '.actions.*.completed_at'],
    [`${action}?include_receipts=true`, '.updated_at', '.receipt_chain.receipts.*.occurred_at'],
    [`${action}/events`, '.events.*.occurred_at'],
    [rotated, '.events.*.occurred_at', '.events.*.data.expires_at'],
    ['/sessions?status=active', '.sessions.*.created_at', '.sessions.*.expires_at'],
    [`/approvals/${approval_request.id}?include_receipts=true`, '.created_at', '.request.expires_at'],
    ['/approvals?include_action_status=true', '.approvals.*.updated_at', '.approvals.*.action_status.updated_at'],
    [`/transactions/${ids.transaction_id}`, '.created_at', '.updated_at'],
    [`/receipts/${encodeURIComponent(ids.chain_id as string)}`, '.receipts.*.occurred_at'],
    ['/audit/events?export=true', '.events.*.occurred_at', '.receipt_chains.*.receipts.*.occurred_at'],
    [`${action}/result?include_receipt=true&include_terminal_events=true`, '.terminal_events.*.occurred_at'],
    [`/sessions/${session_id}`, '.updated_at'],
    [`/transactions/${ids.transaction_id}?include_result=true&include_receipts=true`, '.updated_at'],
    ['/callback-deliveries?include_receipts=true', '.deliveries.*.created_at', '.deliveries.*.updated_at'],
    ['/events?limit=1000', '.events.*.occurred_at'],
    ['/resources'],
    ['/capabilities'],
  ] as [string, ...string[]][]) {
    const found = await read(path);
    expect([path, [...found.keys()]]).toEqual([path, expect.arrayContaining(members)]);
    for (const [member, time] of found)
      expect([path, member, time]).toEqual([path, member, expect.stringMatching(RFC_3339)]);
  }
});

test('N-443 what exists is answered with 200, as application/json on every JSON route, and a body that passes the document', async () => {
  const known = OPERATIONS.filter(
    ({ method, path, pathParameters = {} }) =>
      method === 'get' &&
      !['/aip/v1/ws', '/aip/v1/resources/{resource_id}'].includes(path) &&
      Object.keys(pathParameters).every((name) => ids[name] !== undefined),
  );
  expect(known.length).toBeGreaterThan(22);
  const includes = [
    'include_results',
    'include_result',
    'include_receipts',
    'include_chunks',
    'include_action_status',
    'include_terminal_events',
  ];
  for (const operation of known) {
    const asked = includes.filter((name) => operation.query?.[name]).map((name) => `${name}=true`);
    const answer = await send(operation, `${pathOf(operation, ids)}?${asked.join('&')}`);
    expect([operation.path, answer.status]).toEqual([operation.path, 200]);
    if ('schema' in operation.answer)
      expect([operation.path, answer.type]).toEqual([operation.path, 'application/json']);
    expect(problemOf(operation, answer.status, answer.type, answer.text)).toBeUndefined();
  }
});

describe('bad input', () => {
  const ofRoutes = OPERATIONS.filter(({ path }) => path !== '/aip/v1/ws');
  /** A gateway in a process of its own, whose whole log is read at the end. */
  let logging: GatewayProcess;
  let foreignCursor: string;
  beforeAll(async () => {
    logging = await startGatewayProcess({
      ...fleetVariables(),
      POSTGRES_URL: database.url,
      TRUST_DOMAIN: 'test',
      NATIVE_BEARER_TOKEN: TOKEN,
      NATIVE_PRINCIPAL: 'service:edge',
      NATIVE_PRINCIPAL_SCOPES: '*',
      NATIVE_TENANT_ID: 'acme',
      LOG_LEVEL: 'debug',
    });
    const page = await gateway.call('GET', '/aip/v1/events?limit=1&kind=aip.action.result', { token: TOKEN });
    foreignCursor = page.body.next_cursor;
  });
  afterAll(async () => void (await logging?.end('SIGKILL')));

  test.each(ofRoutes.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'N-391 N-392 part: %s refuses what it does not take with a documented error',
    async (_title, operation) => {
      const path = pathOf(operation, ids);
      const bad: [string, Parameters<typeof send>[2]?][] = [[`${path}?${'x'.repeat(1024 * 1024)}`]];
      if (operation.authentication === 'bearer') bad.push([`${path}?unknown=1`], [`${path}?unknown=1&unknown=1`]);
      for (const [name, { schema = {} }] of Object.entries(operation.query ?? {})) {
        if (schema.type === 'boolean' || schema.type === 'integer' || schema.enum) bad.push([`${path}?${name}=wrong!`]);
        if (schema.type === 'array' && (schema.items as { enum?: unknown }).enum) bad.push([`${path}?${name}=wrong!`]);
        if (schema.format === 'date-time' || schema.pattern) bad.push([`${path}?${name}=wrong!`]);
        const good = encodeURIComponent(String(parameterExample(name, schema)));
        bad.push([`${path}?${name}=${good}&${name}=${good}`]);
        if (name === 'cursor') bad.push([`${path}?cursor=of-another-route`]);
        if (name === 'cursor' && operation.path !== '/aip/v1/events') bad.push([`${path}?cursor=${foreignCursor}`]);
      }
      for (const [name, { schema = {} }] of Object.entries(operation.pathParameters ?? {}))
        if (schema.pattern) bad.push([pathOf(operation, { ...ids, [name]: 'wrong' })]);
      if (operation.body) {
        const json = { 'content-type': 'application/json' };
        const over = operation.body.schema === 'Envelope' ? 4 * 1024 * 1024 + 1 : 70_000;
        bad.push(
          [path, { body: '{"half":', headers: json }],
          [path, { body: `${'['.repeat(10_000)}${']'.repeat(10_000)}`, headers: json }],
          [path, { body: new Uint8Array([0x7b, 0xff, 0x7d]), headers: json }],
          [path, { body: '{}', headers: { 'content-type': 'text/plain' } }],
          [path, { body: 'x'.repeat(over), headers: json }],
        );
      }
      for (const [url, options] of bad) {
        const answer = await send(operation, url, { ...options, url: logging.url });
        const what = `${url.slice(0, 120)} ${JSON.stringify(options ?? {}).slice(0, 80)}`;
        expect([what, answer.status >= 400 && answer.status < 500]).toEqual([what, true]);
        expect([what, statusesOf(operation)]).toEqual([what, expect.arrayContaining([String(answer.status)])]);
        expect(problemOf(operation, answer.status, answer.type, answer.text)).toBeUndefined();
        expect(answer.text).not.toMatch(/\bat .*\.(js|ts):\d+/);
      }
    },
  );

  test('after all of this the gateway runs, and its log has neither a stack nor an unhandled rejection', async () => {
    expect((await fetch(`${logging.url}/ready`)).status).toBe(200);
    expect(logging.child.exitCode).toBeNull();
    const log = logging.stderr();
    expect(log).toContain('message refused');
    expect(log).not.toMatch(/unhandled|uncaught|"stack"|\bat .*\.(?:js|ts):\d+/i);
  });

  test('what is not HTTP, an expectation and an unknown method are answered in the error form', async () => {
    const raw = (bytes: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(bytes));
        let answer = '';
        socket.on('data', (part) => {
          answer += part;
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(answer));
      });
    const malformed = await raw('NONSENSE\r\n\r\n');
    expect(malformed).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(malformed.split('\r\n\r\n')[1] as string).body.error.error.code).toBe('http.malformed_request');
    const expecting = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(`${gateway.url}/health`, { headers: { expect: 'miracles' } }, (response) => {
        let body = '';
        response.on('data', (part) => {
          body += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, text: body }));
      });
      asked.on('error', reject);
      asked.end();
    });
    expect([expecting.status, JSON.parse(expecting.text).body.error.error.code]).toEqual([
      417,
      'http.expectation_failed',
    ]);
    const deleted = await gateway.call('DELETE', '/aip/v1/actions', { token: TOKEN });
    expect([deleted.status, errorOf(deleted).code, deleted.headers.get('allow')]).toEqual([
      405,
      'http.method_not_allowed',
      'GET, HEAD, POST',
    ]);
  });
});

import express from 'express';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { authenticator } from '#runtime/gateway/edge/authenticate.js';
import { bearerEdge } from '#runtime/gateway/edge/bearer.js';
import { parsePrincipals } from '#runtime/gateway/edge/principals-file.js';
import { trustedSigners } from '#runtime/gateway/edge/signers.js';
import { catalogRoutes } from '#runtime/gateway/endpoints/catalog/routes.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { digestOf, sha256Hex } from '#runtime/protocol/digest.js';
import type { Capability } from '#runtime/protocol/types.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import { listen } from '#runtime/transport/http/server.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { admitInstance } from '../../../../support/admit.ts';
import { freshDatabase } from '../../../../support/database.ts';

const TOKENS = ['tenant-a', 'tenant-b', 'tenant-many', 'tenant-large', 'tenant-exact', 'tenant-over'];
const log = openLogger({ component: 'test', level: 'silent' });

let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
let registry: Registry;
let url: string;
let close: () => Promise<void>;

const principals = parsePrincipals([
  ...[...TOKENS, ''].map((tenant) => ({
    token_digest: `sha256:${sha256Hex(`token-${tenant}`)}`,
    principal_id: `agent:${tenant || 'none'}`,
    ...(tenant !== '' && { tenant_id: tenant }),
    scopes: [],
  })),
  {
    token_digest: `sha256:${sha256Hex('token-colleague')}`,
    principal_id: 'agent:colleague',
    tenant_id: 'tenant-a',
    scopes: [],
  },
]);

async function serve(over: { registry?: Registry | undefined; development?: string | null } = { registry }) {
  const { development } = over;
  const edge = authenticator({
    edge: bearerEdge({ principals: { table: async () => principals }, clock: Date.now }),
    signers: trustedSigners([], undefined),
    allowUnsigned: false,
    ...(development !== undefined && { development: { id: 'service:central', kind: 'service' as const } }),
    ...(typeof development === 'string' && { developmentTenantId: development }),
    clock: Date.now,
  });
  const app = express();
  app.use(catalogRoutes({ authenticator: edge, clock: Date.now, log, pool, registry: over.registry }));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return { url: server.url, close: () => server.close(0) };
}

interface Page {
  catalog_revision: number;
  capabilities: { capability: Capability; contract_digest: string; schema_digest: string }[];
  next_cursor: string | null;
  total: number;
}
interface Answer {
  status: number;
  page: Page;
  ids: string[];
  error: { code: string; message: string; retry_after_ms?: number } | undefined;
  retryAfter: string | null;
}

async function ask(query = '', tenant: string | null = 'tenant-a', at = url): Promise<Answer> {
  const response = await fetch(`${at}/aip/v1/capabilities${query}`, {
    headers: tenant === null ? {} : { authorization: `Bearer token-${tenant}` },
  });
  const body = (await response.json()) as Page & { error?: { code: string; message: string; retry_after_ms?: number } };
  return {
    status: response.status,
    page: body,
    ids: (body.capabilities ?? []).map(({ capability }) => capability.id),
    error: body.error,
    retryAfter: response.headers.get('retry-after'),
  };
}

const capability = (id: string, over: Partial<Capability> = {}): Capability =>
  ({ id, name: id.split(':').at(-1), kind: 'tool', input_schema: { type: 'object' }, ...over }) as Capability;

const instance = (name: string, tenantId: string, capabilities: Capability[], profiles?: string[]): Promise<void> =>
  admitInstance(registry, name, tenantId, capabilities, profiles);

/** 32 capabilities whose canonical definitions have so many bytes together. */
function definitionsOf(name: string, bytes: number): Capability[] {
  return Array.from({ length: 32 }, (_, n) => {
    const id = `cap:${name}:${String(n).padStart(2, '0')}`;
    const own = Math.floor(bytes / 32) + (n === 31 ? bytes % 32 : 0);
    const left = own - Buffer.byteLength(canonicalJson(capability(id, { description: '' })));
    return capability(id, { description: 'é'.repeat(left / 2) + 'x'.repeat(left % 2) });
  });
}

const MANY = Array.from({ length: 205 }, (_, n) => `cap:many:${String(n).padStart(3, '0')}`);

beforeAll(async () => {
  database = await freshDatabase();
  pool = openPool({ url: database.url, max: 8 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  registry = openRegistry({ data: pool, clock: Date.now });
  await registry.migrate();
  await instance('crm', 'tenant-a', [
    capability('cap:crm:contacts.get', { name: 'Get Contact', description: 'Reads ONE contact' }),
    capability('cap:crm:contacts.list', { name: 'List', description: '100% of _all_ contacts' }),
    capability('cap:crm:notes.add', { name: 'Add' }),
  ]);
  await instance('mail', 'tenant-a', [capability('cap:mail:send')], ['aip.native.http.v1', 'aip.sse.stream.v1']);
  await instance('other', 'tenant-b', [capability('cap:other:secret')]);
  await instance(
    'many',
    'tenant-many',
    MANY.map((id) => capability(id)),
  );
  const wide = (from: number) =>
    Array.from({ length: 10 }, (_, n) => capability(`cap:wide:${from + n}`, { description: 'x'.repeat(250_000) }));
  await instance('wide', 'tenant-large', wide(10));
  await instance('wider', 'tenant-large', wide(20));
  for (const [name, bytes] of Object.entries({ exact: 4_194_304, over: 4_194_305 })) {
    const definitions = definitionsOf(name, bytes);
    await instance(name, `tenant-${name}`, definitions.slice(0, 16));
    await instance(`${name}-more`, `tenant-${name}`, definitions.slice(16));
  }
  ({ url, close } = await serve({ registry }));
});
afterAll(async () => {
  await close();
  await pool.close();
  await database.drop();
});

describe('the page', () => {
  test('N-223 N-231 N-026 N-027 N-503 shows the capabilities of the caller’s tenant with their digests, and of no other', async () => {
    const { status, page, ids } = await ask();
    expect(status).toBe(200);
    expect(ids).toEqual(['cap:crm:contacts.get', 'cap:crm:contacts.list', 'cap:crm:notes.add', 'cap:mail:send']);
    expect(page).toMatchObject({ catalog_revision: await registry.catalogRevision(), next_cursor: null, total: 4 });
    const first = page.capabilities[0];
    expect(first?.contract_digest).toBe(digestOf(first?.capability));
    expect(first?.schema_digest).toMatch(/^sha256:/);
    expect((await ask('', 'tenant-b')).ids).toEqual(['cap:other:secret']);
  });

  test('N-028 N-029 next_cursor is a token while more rows follow and null on the last page; total counts the matching ones', async () => {
    for (const [query, count, total] of [
      ['?limit=3', 3, 4],
      ['?limit=4', 4, 4],
      ['?text=CONTACT&limit=1', 1, 2],
      ['?text=CONTACT&limit=2', 2, 2],
      ['?capability_id=cap:mail:send', 1, 1],
      ['?profile=aip.none.v1', 0, 0],
    ] as const) {
      const { page, ids } = await ask(query);
      expect([query, ids.length, page.total]).toEqual([query, count, total]);
      if (count === total) expect(page.next_cursor).toBeNull();
      else expect(page.next_cursor).toMatch(/^[\w-]+$/);
    }
  });

  test('N-224 filters by capability_id', async () => {
    expect((await ask('?capability_id=cap:mail:send')).ids).toEqual(['cap:mail:send']);
    expect((await ask('?capability_id=cap:other:secret')).ids).toEqual([]);
  });

  test('N-225 filters by literal text in id, name and description, regardless of case', async () => {
    expect((await ask('?text=one%20CONTACT')).ids).toEqual(['cap:crm:contacts.get']);
    expect((await ask('?text=NOTES.')).ids).toEqual(['cap:crm:notes.add']);
    expect((await ask('?text=100%25')).ids).toEqual(['cap:crm:contacts.list']);
    expect((await ask('?text=_all_')).ids).toEqual(['cap:crm:contacts.list']);
    expect((await ask('?text=%25')).ids).toEqual(['cap:crm:contacts.list']);
    expect((await ask('?text=')).ids).toHaveLength(4);
  });

  test('N-226 filters by profile', async () => {
    expect((await ask('?profile=aip.sse.stream.v1')).ids).toEqual(['cap:mail:send']);
    expect((await ask('?profile=aip.native.http.v1')).ids).toHaveLength(4);
  });

  test('N-235 answers a query without matches with 200 and no capabilities', async () => {
    expect(await ask('?text=nothing-like-this')).toMatchObject({
      status: 200,
      page: { capabilities: [], next_cursor: null, total: 0 },
    });
  });

  test('N-232 N-228 gives 100 rows without a limit and at most limit rows with one', async () => {
    expect((await ask('', 'tenant-many')).ids).toEqual(MANY.slice(0, 100));
    expect((await ask('?limit=7', 'tenant-many')).ids).toEqual(MANY.slice(0, 7));
  });

  test('N-233 clamps the rows to 1 through 200', async () => {
    for (const limit of ['0', '-5']) expect((await ask(`?limit=${limit}`, 'tenant-many')).ids).toHaveLength(1);
    for (const limit of ['200', '201', '1000000'])
      expect((await ask(`?limit=${limit}`, 'tenant-many')).ids).toHaveLength(200);
  });

  test('N-234 N-421 ends a page at 4 MiB of definitions; the next page has the rest, each once', async () => {
    const first = await ask('?limit=20', 'tenant-large');
    const bytes = first.page.capabilities.reduce(
      (sum, row) => sum + Buffer.byteLength(canonicalJson(row.capability)),
      0,
    );
    expect(first.ids).toHaveLength(16);
    expect(bytes).toBeLessThanOrEqual(4_194_304);
    expect(first.page.next_cursor).not.toBeNull();
    const rest = await ask(`?limit=20&cursor=${first.page.next_cursor}`, 'tenant-large');
    expect([rest.ids.length, rest.page.next_cursor, rest.page.total]).toEqual([4, null, 20]);
    expect(new Set([...first.ids, ...rest.ids]).size).toBe(20);
    expect((await ask('?limit=10', 'tenant-large')).ids).toHaveLength(10);
  });

  test('N-234 part: definitions of exactly 4 MiB, in bytes, are one page, and those of a byte more are two', async () => {
    const exact = await ask('', 'tenant-exact');
    expect([exact.ids.length, exact.page.next_cursor]).toEqual([32, null]);
    const over = await ask('', 'tenant-over');
    expect([over.ids.length, over.ids.at(-1)]).toEqual([31, 'cap:over:30']);
    expect((await ask(`?cursor=${over.page.next_cursor}`, 'tenant-over')).ids).toEqual(['cap:over:31']);
  });
});

describe('cursors', () => {
  test('N-227 N-504 visits every capability once, under one revision', async () => {
    const seen: string[] = [];
    const revisions = new Set<number>();
    let cursor: string | null = null;
    do {
      const { page, ids }: Answer = await ask(
        `?limit=60${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        'tenant-many',
      );
      seen.push(...ids);
      revisions.add(page.catalog_revision);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(MANY);
    expect([...revisions]).toEqual([await registry.catalogRevision()]);
  });

  test('N-047 N-048 a cursor belongs to its caller and its filters; the number of rows may change', async () => {
    const { next_cursor: cursor } = (await ask('?limit=2')).page;
    expect((await ask(`?limit=1&cursor=${cursor}`)).ids).toEqual(['cap:crm:notes.add']);
    for (const answer of [
      await ask(`?limit=2&cursor=${cursor}`, 'colleague'),
      await ask(`?limit=2&profile=aip.native.http.v1&cursor=${cursor}`),
      await ask(`?cursor=${cursor}`, 'tenant-b'),
    ])
      expect([answer.status, answer.error?.code]).toEqual([400, 'connector_catalog.invalid_query']);
  });

  test('N-047 part: a cursor shows no capability, and one that was changed is refused', async () => {
    const { next_cursor: cursor } = (await ask('?limit=2')).page;
    const bytes = Buffer.from(cursor as string, 'base64url');
    expect(cursor).toBe(bytes.toString('base64url'));
    expect(`${cursor} ${bytes.toString('latin1')}`).not.toContain('contacts');
    for (let at = 0; at < bytes.length; at += 5) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      const { status, error } = await ask(`?limit=2&cursor=${changed.toString('base64url')}`);
      expect([at, status, error?.code]).toEqual([at, 400, 'connector_catalog.invalid_query']);
    }
  });

  test('N-236 N-237 N-405 N-503 a change of the catalog makes the cursor stale; without a cursor the first page comes again', async () => {
    const { page } = await ask('?limit=2');
    const revision = page.catalog_revision;
    await registry.bindings.put({
      tenantId: 'tenant-b',
      capabilityId: 'cap:other:secret',
      instanceId: 'cinst_other',
      priority: 1,
      enabled: true,
    });
    const stale = await ask(`?limit=2&cursor=${page.next_cursor}`);
    expect([stale.status, stale.error?.code]).toEqual([409, 'connector_catalog.stale_cursor']);
    const again = await ask('?limit=2');
    expect(again.ids).toEqual(['cap:crm:contacts.get', 'cap:crm:contacts.list']);
    expect(again.page.catalog_revision).toBeGreaterThan(revision);
  });
});

describe('refusals, all as the direct error object', () => {
  test('N-229 N-040 N-386 D-04 answers 401 without a bearer and with a wrong one', async () => {
    for (const token of [null, 'wrong']) {
      const { status, error } = await ask('', token);
      expect([status, error?.code, typeof error?.message]).toEqual([401, 'auth.native_http_unauthorized', 'string']);
    }
  });

  test('N-230 N-403 answers 403 to an identity without a tenant, also when it names one', async () => {
    for (const query of ['', '?tenant_id=tenant-a']) {
      const { status, error, ids } = await ask(query, '');
      expect([status, error?.code, typeof error?.message, ids]).toEqual([
        403,
        'connector_catalog.tenant_required',
        'string',
        [],
      ]);
    }
    expect((await ask('?tenant_id=tenant-b')).ids).not.toContain('cap:other:secret');
  });

  test('D-03 serves the development identity only when it has a tenant', async () => {
    const [with_, without] = [
      await serve({ registry, development: 'tenant-b' }),
      await serve({ registry, development: null }),
    ];
    onTestFinished(async () => {
      await with_.close();
      await without.close();
    });
    expect((await ask('', null, with_.url)).ids).toEqual(['cap:other:secret']);
    expect(await ask('', null, without.url)).toMatchObject({
      status: 403,
      error: { code: 'connector_catalog.tenant_required' },
    });
  });

  test('N-402 answers 404 without a fleet', async () => {
    const disabled = await serve({ registry: undefined });
    onTestFinished(disabled.close);
    const { status, error } = await ask('', 'tenant-a', disabled.url);
    expect([status, error?.code, typeof error?.message]).toEqual([404, 'connector_catalog.disabled', 'string']);
  });

  test.each([
    '?limit=ten',
    '?limit=1.5',
    '?limit=',
    '?capability_id=',
    '?profile=%00',
    `?text=${'x'.repeat(513)}`,
    '?cursor=',
    '?cursor=nonsense',
    '?cursor=1%3A',
    '?unknown=1',
    '?limit=1&limit=2',
  ])('N-404 D-06 D-11 answers 400 to %s', async (query) => {
    const { status, error } = await ask(query);
    expect([status, error?.code, typeof error?.message]).toEqual([400, 'connector_catalog.invalid_query', 'string']);
  });

  test('N-406 N-386 answers 503 when the registry query fails, with Retry-After beside retry_after_ms', async () => {
    await pool.query('ALTER TABLE registry.capabilities RENAME TO capabilities_gone');
    try {
      const { status, error, retryAfter } = await ask();
      expect([status, error?.code, typeof error?.message]).toEqual([503, 'connector_catalog.unavailable', 'string']);
      expect(retryAfter).toBe(String(Math.ceil((error?.retry_after_ms as number) / 1000)));
    } finally {
      await pool.query('ALTER TABLE registry.capabilities_gone RENAME TO capabilities');
    }
    expect((await ask()).status).toBe(200);
  });
});

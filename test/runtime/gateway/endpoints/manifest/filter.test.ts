import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { filterManifest } from '#runtime/gateway/endpoints/manifest/filter.js';
import { healthCapability, serverManifest } from '#runtime/gateway/endpoints/manifest/server-manifest.js';
import { FILTERS, serviceRoutes } from '#runtime/gateway/endpoints/service/routes.js';
import { compileJsonSchema } from '#runtime/protocol/content/schema-check.js';
import type { Capability, Manifest, ManifestFilter } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { listen } from '#runtime/transport/http/server.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { contractOf } from '../../support/actions.ts';

const capability = (id: string, more: Partial<Capability>): Capability => ({
  id,
  name: id,
  kind: 'tool',
  input_schema: {},
  contract: contractOf({ execution: { supports_streaming: false } }),
  ...more,
});

const transaction = {
  supported_modes: ['execute' as const],
  requires_plan_before_commit: false,
  dry_run_fidelity: 'schema_only' as const,
};

const manifest: Manifest = {
  ...serverManifest({ id: 'service:g', kind: 'service' }, 'required'),
  profiles: ['p1', 'p2'],
  capabilities: [
    capability('a', { bindings: [{ profile: 'p1' }], risk: 'low' }),
    capability('b', {
      bindings: [{ profile: 'p2' }],
      risk: 'high',
      requires_human_approval: true,
      contract: contractOf({ execution: { supports_streaming: false }, transaction }),
    }),
    capability('c', {
      risk: 'low',
      contract: {
        ...contractOf(),
        side_effects: ['read', 'financial'],
        transaction,
      },
    }),
  ],
  resources: [
    { id: 'r1', name: 'r1', kind: 'table' },
    { id: 'r2', name: 'r2', kind: 'view' },
  ],
};

const idsOf = (filter: ManifestFilter): string[] =>
  filterManifest(manifest, filter).capabilities?.map(({ id }) => id) ?? [];

test('the manifest of this server is a valid Manifest whose capability compiles', () => {
  const own = serverManifest({ id: 'service:g', kind: 'service' }, 'required');
  expect(check('Manifest', own)).toEqual([]);
  expect(compileJsonSchema(healthCapability.input_schema)({})).toEqual([]);
});

test('N-071 N-081 part: an empty filter leaves the manifest as it is', () => {
  expect(filterManifest(manifest, {})).toEqual(manifest);
  expect(filterManifest(manifest, { capability_ids: [], profiles: [] })).toEqual(manifest);
});

test('N-073 N-075 N-076 N-077 part: lists filter: any id, any profile, any risk, all side effects', () => {
  expect(idsOf({ capability_ids: ['a', 'c', 'x'] })).toEqual(['a', 'c']);
  expect(idsOf({ profiles: ['p2'] })).toEqual(['b']);
  expect(filterManifest(manifest, { profiles: ['p2'] }).profiles).toEqual(['p2']);
  expect(idsOf({ risk: ['low'] })).toEqual(['a', 'c']);
  expect(idsOf({ risk: ['low', 'high'] })).toEqual(['a', 'b', 'c']);
  expect(idsOf({ side_effects: ['financial', 'read'] })).toEqual(['c']);
  expect(idsOf({ side_effects: ['financial', 'write'] })).toEqual([]);
});

test('N-074 part: resource kinds filter resources alone', () => {
  const filtered = filterManifest(manifest, { resource_kinds: ['view'] });
  expect(filtered.resources?.map(({ id }) => id)).toEqual(['r2']);
  expect(filtered.capabilities).toHaveLength(3);
});

test('N-078 N-079 N-080 part: booleans filter both ways', () => {
  expect(idsOf({ requires_approval: true })).toEqual(['b']);
  expect(idsOf({ requires_approval: false })).toEqual(['a', 'c']);
  expect(idsOf({ supports_streaming: true })).toEqual(['c']);
  expect(idsOf({ supports_streaming: false })).toEqual(['a', 'b']);
  expect(idsOf({ supports_transactions: true })).toEqual(['b', 'c']);
  expect(idsOf({ supports_transactions: false })).toEqual(['a']);
});

/** Starts the route over the manifest of this file. */
async function serveManifest(): Promise<(query: string) => Promise<{ status: number; body: Manifest }>> {
  const app = express();
  app.use(
    serviceRoutes({
      authenticator: {} as never,
      clock: Date.now,
      log: openLogger({ component: 'test', level: 'silent' }),
      liveness: () => ({}) as never,
      readiness: async () => ({}) as never,
      manifest,
    }),
  );
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  return async (query) => {
    const response = await fetch(`${server.url}/aip/v1/manifest?${query}`);
    return { status: response.status, body: (await response.json()) as Manifest };
  };
}

test('N-073 N-074 N-075 N-076 N-077 the lists of a query are split at commas, trimmed and without empty items', async () => {
  const get = await serveManifest();
  const capabilities = async (query: string) => (await get(query)).body.capabilities?.map(({ id }) => id);
  const kinds = async (query: string) => (await get(query)).body.resources?.map(({ id }) => id);
  expect(await capabilities('capability_id=a,c,x')).toEqual(['a', 'c']);
  expect(await capabilities('capability_id=%20a%20,,%20c')).toEqual(['a', 'c']);
  expect(await capabilities('capability_id=,')).toEqual(['a', 'b', 'c']);
  expect(await kinds('resource_kind=view,none')).toEqual(['r2']);
  expect(await kinds('resource_kind=table,view')).toEqual(['r1', 'r2']);
  expect(await capabilities('profile=none,p2')).toEqual(['b']);
  expect(await capabilities('profile=p1,p2')).toEqual(['a', 'b']);
  expect(await capabilities('risk=critical,high')).toEqual(['b']);
  expect(await capabilities('risk=low,high')).toEqual(['a', 'b', 'c']);
  expect(await capabilities('side_effect=financial,read')).toEqual(['c']);
  expect(await capabilities('side_effect=financial,write')).toEqual([]);
  expect((await get('risk=low,sleeping')).status).toBe(400);
});

test('N-078 N-079 N-080 each boolean of a query filters by its own property, true and false', async () => {
  const get = await serveManifest();
  for (const [query, expected] of [
    ['requires_approval=true', ['b']],
    ['requires_approval=false', ['a', 'c']],
    ['supports_streaming=true', ['c']],
    ['supports_streaming=false', ['a', 'b']],
    ['supports_transactions=true', ['b', 'c']],
    ['supports_transactions=false', ['a']],
  ] as const) {
    const { status, body } = await get(query);
    expect([query, status, body.capabilities?.map(({ id }) => id)]).toEqual([query, 200, expected]);
  }
});

test('N-081 an empty value of any filter does not filter', async () => {
  const get = await serveManifest();
  const complete = (await get('')).body;
  expect(complete).toEqual(manifest);
  for (const name of Object.keys(FILTERS)) expect([name, (await get(`${name}=`)).body]).toEqual([name, complete]);
  const all = Object.keys(FILTERS).map((name) => `${name}=`);
  expect([all.length, (await get(all.join('&'))).body]).toEqual([8, complete]);
});

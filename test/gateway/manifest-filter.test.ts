import { filterManifest } from '@aip/runtime/gateway/manifest/filter.js';
import { healthCapability, serverManifest } from '@aip/runtime/gateway/manifest/server-manifest.js';
import { compileJsonSchema } from '@aip/runtime/protocol/content/schema-check.js';
import type { Capability, Manifest, ManifestFilter } from '@aip/runtime/protocol/types.js';
import { check } from '@aip/runtime/protocol/validate.js';
import { expect, test } from 'vitest';
import { contractOf } from './support/actions.ts';

const capability = (id: string, more: Partial<Capability>): Capability => ({
  id,
  name: id,
  kind: 'tool',
  input_schema: {},
  contract: contractOf({ execution: { supports_streaming: false } }),
  ...more,
});

const manifest: Manifest = {
  ...serverManifest({ id: 'service:g', kind: 'service' }, 'required'),
  profiles: ['p1', 'p2'],
  capabilities: [
    capability('a', { bindings: [{ profile: 'p1' }], risk: 'low' }),
    capability('b', { bindings: [{ profile: 'p2' }], risk: 'high', requires_human_approval: true }),
    capability('c', {
      risk: 'low',
      contract: {
        ...contractOf(),
        side_effects: ['read', 'financial'],
        transaction: {
          supported_modes: ['execute'],
          requires_plan_before_commit: false,
          dry_run_fidelity: 'schema_only',
        },
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

test('N-071 N-081 an empty filter leaves the manifest as it is', () => {
  expect(filterManifest(manifest, {})).toEqual(manifest);
  expect(filterManifest(manifest, { capability_ids: [], profiles: [] })).toEqual(manifest);
});

test('N-073 N-075 N-076 N-077 lists filter: any id, any profile, any risk, all side effects', () => {
  expect(idsOf({ capability_ids: ['a', 'c', 'x'] })).toEqual(['a', 'c']);
  expect(idsOf({ profiles: ['p2'] })).toEqual(['b']);
  expect(filterManifest(manifest, { profiles: ['p2'] }).profiles).toEqual(['p2']);
  expect(idsOf({ risk: ['low'] })).toEqual(['a', 'c']);
  expect(idsOf({ risk: ['low', 'high'] })).toEqual(['a', 'b', 'c']);
  expect(idsOf({ side_effects: ['financial', 'read'] })).toEqual(['c']);
  expect(idsOf({ side_effects: ['financial', 'write'] })).toEqual([]);
});

test('N-074 resource kinds filter resources alone', () => {
  const filtered = filterManifest(manifest, { resource_kinds: ['view'] });
  expect(filtered.resources?.map(({ id }) => id)).toEqual(['r2']);
  expect(filtered.capabilities).toHaveLength(3);
});

test('N-078 N-079 N-080 booleans filter both ways', () => {
  expect(idsOf({ requires_approval: true })).toEqual(['b']);
  expect(idsOf({ requires_approval: false })).toEqual(['a', 'c']);
  expect(idsOf({ supports_streaming: true })).toEqual(['c']);
  expect(idsOf({ supports_streaming: false })).toEqual(['a', 'b']);
  expect(idsOf({ supports_transactions: true })).toEqual(['c']);
  expect(idsOf({ supports_transactions: false })).toEqual(['a', 'b']);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadResources } from '#controller/api/files/load.js';
import { openStore, type Store } from '#controller/local/state/store.js';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-store-'));
  store = await openStore(join(folder, 'state.json'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const resources = ({ tenant = 'acme', type = 'demo', hosting = 'Managed', version = '1.0.0' } = {}) =>
  loadResources([
    {
      name: 'fleet.yaml',
      text: `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: shop}
spec: {connector: {type: ${type}, version: ${version}}, tenantId: ${tenant}, hosting: ${hosting}}
`,
    },
  ]);

test.each([
  ['tenant', { tenant: 'other' }, /default\/shop has the tenant acme .* cannot change to other\./],
  ['connector type', { type: 'clock' }, /default\/shop has the connector type demo .* cannot change to clock\./],
])('an instance of the same name with another %s is refused, and nothing changes', (_, change, expected) => {
  store.want(resources(), false);
  const before = JSON.stringify(store.state);
  expect(() => store.want(resources(change), false)).toThrow(expected);
  expect(() => store.want(resources(change), false)).toThrow(/another name, .* --data, .* --fresh\.$/);
  expect(JSON.stringify(store.state)).toBe(before);
});

test('an instance takes another version, and the same documents again', () => {
  store.want(resources(), false);
  store.want(resources(), false);
  store.want(resources({ version: '1.1.0' }), false);
  expect(store.state.instances['default/shop']?.resource.spec.connector.version).toBe('1.1.0');
});

import { expect, test } from 'vitest';
import type { ConnectorInstance } from '#controller/api/connector-instance.js';
import { templateHash } from '#controller/api/names.js';
import { artifactDigest } from '#controller/local/module/artifact-digest.js';
import { replicasWithoutCode, stampModules } from '#controller/local/module/stamp-modules.js';
import type { LocalState, ReplicaRecord } from '#controller/local/state/store.js';

const [OLD, NEW] = ['sha256:old', 'sha256:new'];
const MODULE = '/modules/shop.js';

function stateOf(module?: string, hosting = 'Managed'): LocalState {
  const annotations = module === undefined ? {} : { 'fleet.aip.dev/module': module };
  const resource = {
    metadata: { name: 'shop', namespace: 'default', annotations },
    spec: { connector: { type: 'shop', version: '1.0.0' }, hosting, config: {}, secrets: [], bindings: [] },
  } as unknown as ConnectorInstance;
  return { instances: { 'default/shop': { resource } }, replicas: {}, externals: {}, secrets: {} } as never;
}
const resourceOf = (state: LocalState) => state.instances['default/shop']?.resource as ConnectorInstance;

test.each([
  ['a built-in connector', undefined],
  ['a module', MODULE],
])('another runtime makes another template and another artifact of %s', (_, module) => {
  const state = stateOf(module);
  const digests = new Map([[MODULE, 'sha256:module']]);
  expect(stampModules(state, digests, OLD)).toEqual(['default/shop']);
  const before = [templateHash(resourceOf(state)), artifactDigest(resourceOf(state))];
  expect(stampModules(state, digests, OLD)).toEqual([]);
  expect(stampModules(state, digests, NEW)).toEqual(['default/shop']);
  const after = [templateHash(resourceOf(state)), artifactDigest(resourceOf(state))];
  expect(after.filter((each) => before.includes(each))).toEqual([]);
});

test('a module that was not read keeps the code it has, and an External instance has none', () => {
  const state = stateOf(MODULE);
  expect(stampModules(state, new Map(), OLD)).toEqual([]);
  expect(stampModules(stateOf(undefined, 'External'), new Map(), OLD)).toEqual([]);
});

test('replicas of other code than the present one are found', () => {
  const state = stateOf(MODULE);
  stampModules(state, new Map([[MODULE, 'sha256:one']]), OLD);
  const launch = { artifactDigest: artifactDigest(resourceOf(state)) };
  state.replicas['default/shop-0'] = { instance: 'default/shop', launch } as ReplicaRecord;
  state.replicas['default/external'] = { instance: 'default/shop' } as ReplicaRecord;
  expect(replicasWithoutCode(state)).toEqual([]);
  stampModules(state, new Map([[MODULE, 'sha256:two']]), OLD);
  expect(replicasWithoutCode(state)).toEqual(['default/shop-0']);
});

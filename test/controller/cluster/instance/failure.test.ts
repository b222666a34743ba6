import { expect, test } from 'vitest';
import { DescribeInterrupted } from '#controller/cluster/describe/descriptions.js';
import { failureOf } from '#controller/cluster/instance/failure.js';
import { NameTaken, PredecessorLeft } from '#controller/cluster/provision/ensure.js';
import { AuthorityMissing, IdentityLost, IdentityUnusable } from '#controller/cluster/provision/identities.js';
import { TemplateLost } from '#controller/cluster/provision/shared-objects.js';
import { DatabaseRightsMissing } from '#controller/fleet/host-database.js';
import {
  KubeConflict,
  KubeForbidden,
  KubeInvalid,
  KubeNotFound,
  KubeUnavailable,
} from '#controller/kube/client/errors.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { CapabilityConflict, RegistryConflict, RegistryInputInvalid } from '#runtime/registry/errors.js';

const QUOTA = 'pods "a" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=1, limited: pods=1';

const TRUST = { namespace: 'aip', release: 'aip' } as ConstructorParameters<typeof AuthorityMissing>[0];

test.each([
  ['a lost race', new KubeConflict(409, 'Conflict', 'x'), 'Conflict', 'passing'],
  ['what a predecessor left', new PredecessorLeft('Service', 'a'), 'PredecessorLeft', 'passing'],
  ['another contract', new CapabilityConflict('cap:a:b'), 'CapabilityConflict', 'stalled'],
  ['a contradiction of the registry', new RegistryConflict('x'), 'RegistryRefused', 'stalled'],
  ['a refused record', new RegistryInputInvalid('x'), 'RegistryRefused', 'stalled'],
  ["somebody else's object", new NameTaken('Service', 'a'), 'NameTaken', 'stalled'],
  ['an object against the rules', new KubeInvalid(422, 'Invalid', 'x'), 'Invalid', 'stalled'],
  ['a used up quota', new KubeForbidden(403, 'Forbidden', QUOTA), 'QuotaExceeded', 'stalled'],
  ['a missing right', new KubeForbidden(403, 'Forbidden', 'x'), 'Forbidden', 'stalled'],
  ['a spoilt key', new IdentityUnusable('ns', 'a', 'x'), 'IdentityUnusable', 'stalled'],
  ['a lost key', new IdentityLost('ns', 'a'), 'IdentityLost', 'waiting'],
  ['an interrupted question', new DescribeInterrupted('x'), 'DescribeInterrupted', 'waiting'],
  ['an API server that is away', new KubeUnavailable(0, 'Network', 'x'), 'ApiServerUnavailable', 'waiting'],
  [
    'a right that the database user lacks',
    new DatabaseRightsMissing(new Error('x')),
    'DatabaseRightsMissing',
    'stalled',
  ],
  ['an authority that cannot sign', new AuthorityMissing(TRUST), 'AuthorityMissing', 'waiting'],
  ['a template that is gone', new TemplateLost('ns', 'a-1', 'a-1-0'), 'TemplateLost', 'waiting'],
  ['a database that is away', new StorageUnavailable('x'), 'DatabaseUnavailable', 'waiting'],
  ['anything else', new KubeNotFound(404, 'NotFound', 'x'), 'StepFailed', 'waiting'],
  ['what is no error', 'text', 'StepFailed', 'waiting'],
] as const)('%s has a name, and it is clear whether waiting helps', (_, error, reason, kind) => {
  const failure = failureOf(error);
  expect(failure).toMatchObject({ reason, stalled: kind === 'stalled', passing: kind === 'passing' });
  expect(failure.message).not.toBe('');
});

test('a conflict of capabilities names the instance that has it, where the registry knows one', () => {
  const known = failureOf(new CapabilityConflict('cap:a:b', 'cinst_acme.shop.12345678'));
  expect(known.message).toContain('cap:a:b');
  expect(known.message).toMatch(/the ConnectorInstance acme\/shop has it$/);
  expect(failureOf(new CapabilityConflict('cap:a:b')).message).not.toContain('ConnectorInstance');
  expect(failureOf(new CapabilityConflict('cap:a:b', 'made-elsewhere')).message).not.toContain('ConnectorInstance');
});

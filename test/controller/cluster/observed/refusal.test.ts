import { expect, test } from 'vitest';
import { ANNOTATIONS } from '#controller/api/group.js';
import { capabilityRefusal, claimRefusal } from '#controller/cluster/observed/refusal.js';
import { builtinTypes } from '#runtime/connectors/builtin.js';
import { instanceLike } from '../support.ts';

const DIGEST = `registry.test/a@sha256:${'a'.repeat(64)}`;
const EXTERNAL = { hosting: 'External', connector: { type: 'probe', version: '1' } };
const own = (image: string, type = 'demo') => ({ connector: { type, version: '1', image } });
const ANNOTATED = { tenancy: 'annotated', allowImageTags: false } as const;
const OPEN = { tenancy: 'open', allowImageTags: false } as const;

test.each([
  ['a tenant that is named', {}, 'acme', '', undefined],
  ['a tenant among others, with spaces', {}, 'other , acme', '', undefined],
  ['any tenant', {}, '*', '', undefined],
  ['no annotation', {}, undefined, '', 'TenantNotAllowed'],
  ['a tenant of which only the beginning is named', {}, 'acm', '', 'TenantNotAllowed'],
  ['an empty list', {}, '', '', 'TenantNotAllowed'],
  ['an image of the user', own(DIGEST), '*', '', 'TypeNotAllowed'],
  ['an image of the user whose type is named', own(DIGEST), '*', 'chat,demo', undefined],
  ['an image of the user where all types are', own(DIGEST, 'chat'), '*', '*', undefined],
  ['a host elsewhere', EXTERNAL, '*', '', 'TypeNotAllowed'],
  ['a host elsewhere whose type is named', EXTERNAL, '*', 'probe', undefined],
  ['an image without digest', own('registry.test/a:1'), '*', '*', 'ImageWithoutDigest'],
  ['a digest that is too short', own('registry.test/a@sha256:abc'), '*', '*', 'ImageWithoutDigest'],
  ['a type that is not built in', { connector: { type: 'chat', version: '1' } }, '*', '*', 'UnknownConnectorType'],
] as const)('of what a namespace claims, %s is judged', (_, spec, tenants, types, reason) => {
  const annotations =
    tenants === undefined ? undefined : { [ANNOTATIONS.tenants]: tenants, [ANNOTATIONS.connectorTypes]: types };
  expect(claimRefusal(instanceLike(spec), annotations, ANNOTATED)?.reason).toBe(reason);
});

const sidecar = (image: string) => ({ pod: { sidecars: [{ name: 'proxy', image }] } });
const PROXY = `registry.test:5000/a/proxy@sha256:${'a'.repeat(64)}`;

test.each([
  ['a ServiceAccount that is named', { pod: { serviceAccountName: 'crm' } }, { serviceAccounts: 'a, crm' }, undefined],
  ['any ServiceAccount', { pod: { serviceAccountName: 'crm' } }, { serviceAccounts: '*' }, undefined],
  ['a ServiceAccount that is not named', { pod: { serviceAccountName: 'crm' } }, {}, 'ServiceAccountNotAllowed'],
  ['a sidecar whose image is named', sidecar(PROXY), { sidecarImages: 'registry.test:5000/a/proxy' }, undefined],
  ['any sidecar', sidecar(PROXY), { sidecarImages: '*' }, undefined],
  ['a sidecar whose image is not named', sidecar(PROXY), {}, 'SidecarNotAllowed'],
  [
    'a sidecar of which only the beginning is named',
    sidecar(PROXY),
    { sidecarImages: 'registry.test' },
    'SidecarNotAllowed',
  ],
  ['a sidecar below what is named', sidecar(PROXY), { sidecarImages: 'registry.test:5000/a' }, 'SidecarNotAllowed'],
  [
    'a sidecar with tag and digest',
    sidecar(PROXY.replace('@', ':v1@')),
    { sidecarImages: 'registry.test:5000/a/proxy' },
    undefined,
  ],
  ['a sidecar without digest', sidecar('registry.test/proxy:1'), { sidecarImages: '*' }, 'ImageWithoutDigest'],
] as const)('of what a namespace adds to Pods, %s is judged', (_, spec, named, reason) => {
  const annotations = Object.fromEntries(
    Object.entries({ tenants: '*', ...named }).map(([name, list]) => [ANNOTATIONS[name as 'tenants'], list]),
  );
  expect(claimRefusal(instanceLike(spec), annotations, ANNOTATED)?.reason).toBe(reason);
  const open = reason === 'ImageWithoutDigest' ? reason : undefined;
  expect(claimRefusal(instanceLike(spec), undefined, OPEN)?.reason).toBe(open);
});

test('with open tenancy only the image and the built-in types count', () => {
  expect(claimRefusal(instanceLike(), undefined, OPEN)).toBeUndefined();
  expect(claimRefusal(instanceLike(own(DIGEST, 'chat')), undefined, OPEN)).toBeUndefined();
  expect(claimRefusal(instanceLike(own('a:1')), undefined, OPEN)?.reason).toBe('ImageWithoutDigest');
  expect(claimRefusal(instanceLike(own('a:1')), undefined, { ...OPEN, allowImageTags: true })).toBeUndefined();
});

test('a refusal says who can fix it and where', () => {
  expect(claimRefusal(instanceLike(), {}, ANNOTATED)?.message).toBe(
    "the namespace acme may not claim tenant acme; an administrator names it in the namespace's annotation fleet.aip.dev/tenants",
  );
});

test.each([
  ['its own', ['cap:demo:echo', 'cap:demo:count'], undefined],
  ["another type's", ['cap:demo:echo', 'cap:chat:send'], 'CapabilityNotOwned'],
  ['those of a type that begins alike', ['cap:demos:echo'], 'CapabilityNotOwned'],
  ['none', [], undefined],
] as const)('a connector may have %s', (_, ids, reason) => {
  expect(capabilityRefusal(instanceLike(), ids, 'annotated')?.reason).toBe(reason);
  expect(capabilityRefusal(instanceLike(), ids, 'open')).toBeUndefined();
});

test('the types that need no image are those that the runtime has built in', () => {
  const refused = claimRefusal(instanceLike({ connector: { type: 'other', version: '1' } }), undefined, OPEN);
  expect(refused?.message).toContain(`(built in: ${builtinTypes.join(', ')})`);
});

import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeForbidden } from '#controller/kube/client/errors.js';
import { KEY_ROLES } from '#controller/trust/names.js';
import { type ConfigMapObject, secretText } from '#controller/trust/objects.js';
import { removeCopy } from '#controller/trust/reconcile-trust.js';
import { DAY, NAMES, NAMESPACE, OVERLAP, release, SECOND, SETTINGS } from './support/release.ts';

const secretRef = (name: string) => ({ namespace: NAMESPACE, name });
const copyRef = (namespace: string) => ({ namespace, name: 'aip-trust' });

test('a first start makes authority, keys and leaves, and publishes them in every namespace', async () => {
  const aip = release();
  const result = await aip.reconcile({ namespaces: ['acme', 'globex'] });
  for (const namespace of [NAMESPACE, 'acme', 'globex']) {
    const bundle = aip.bundle(namespace);
    expect(bundle.authorities.map(({ pem }) => pem)).toEqual([aip.ca().pem]);
    expect(bundle.dids.gateway).toEqual([aip.activeDid('gateway')]);
    expect(bundle.dids['control-plane']).toEqual([aip.activeDid('control-plane')]);
  }
  expect(aip.leaf('gateway').issuedBy(aip.ca())).toBe(true);
  expect(aip.leaf('gateway').dnsNames).toEqual(SETTINGS.leafNames.gateway.dnsNames);
  expect(result.observations.map(({ type }) => type)).toEqual(['Ready', 'Ready', 'Ready']);
  expect(result.wakeAt).toBeGreaterThan(aip.time.now + 53 * DAY);
});

test('a second pass changes nothing: it reads each object once and by its name', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  const before = aip.kube.calls.length;
  expect((await aip.reconcile({ tenants: ['acme'] })).steps).toEqual([]);
  const calls = aip.kube.calls
    .slice(before)
    .map(({ verb, kind, namespace, name }) => `${verb} ${kind} ${namespace}/${name}`);
  expect(calls).toEqual([
    `get ConfigMap ${NAMESPACE}/aip-trust`,
    'get ConfigMap acme/aip-trust',
    `get Secret ${NAMESPACE}/aip-ca`,
    `get Secret ${NAMESPACE}/aip-control-plane`,
    `get Secret ${NAMESPACE}/aip-gateway`,
    `get Secret ${NAMESPACE}/aip-principals`,
    `get Secret ${NAMESPACE}/${NAMES.operator('acme')}`,
  ]);
});

test('a quick pass reads four objects while nothing is due, and is a whole one when something is', async () => {
  const aip = release();
  const wanted = { namespaces: ['acme', 'globex'], tenants: ['acme'], quick: true };
  await aip.reconcile(wanted);
  expect(aip.bundle('globex').dids.gateway).toEqual([aip.activeDid('gateway')]);
  const before = aip.kube.calls.length;
  const { observations, wakeAt } = await aip.reconcile(wanted);
  expect(aip.kube.calls.slice(before).map(({ verb, name }) => `${verb} ${name}`)).toEqual([
    'get aip-trust',
    'get aip-ca',
    'get aip-control-plane',
    'get aip-gateway',
  ]);
  expect(observations.map(({ type }) => type)).toEqual(['Ready', 'Ready', 'Ready']);
  expect(wakeAt).toBeGreaterThan(aip.time.now);
  await aip.rotate(NAMES.key.gateway, '1');
  await aip.reconcile(wanted);
  expect(aip.bundle('globex').dids.gateway).toHaveLength(2);
});

test('two controllers that start at once agree on one authority and one key each', async () => {
  const aip = release();
  // Every request of both waits for the other's, so that both see an empty namespace.
  aip.kube.before = () => new Promise((done) => setImmediate(done));
  await Promise.all([aip.reconcile({ tenants: ['acme'] }), aip.reconcile({ tenants: ['acme'] })]);
  expect(aip.bundle().dids.gateway).toEqual([aip.activeDid('gateway')]);
  expect(aip.bundle().authorities.map(({ pem }) => pem)).toEqual([aip.ca().pem]);
  expect(aip.leaf('gateway').issuedBy(aip.ca())).toBe(true);
  expect((await aip.reconcile({ tenants: ['acme'] })).steps).toEqual([]);
});

test('drift of a copy is corrected; keys, labels and annotations of others stay', async () => {
  const aip = release();
  await aip.reconcile();
  const before = aip.kube.peek<ConfigMapObject>(KINDS.configMap, copyRef('acme'));
  await aip.kube.merge(KINDS.configMap, copyRef('acme'), {
    metadata: { labels: { 'app.kubernetes.io/managed-by': null, team: 'acme' } },
    data: { 'gateway-dids': 'did:key:zOther\n', note: 'kept' },
  });
  await aip.reconcile();
  const after = aip.kube.peek<ConfigMapObject>(KINDS.configMap, copyRef('acme'));
  expect(after?.data).toEqual({ ...before?.data, note: 'kept' });
  expect(after?.metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'aip-controller', team: 'acme' });
});

test('a copy is removed when asked, a ConfigMap of another owner is not', async () => {
  const aip = release();
  await aip.reconcile({ namespaces: ['acme'] });
  await aip.kube.create(KINDS.configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: copyRef('globex') });
  await removeCopy(aip.kube, SETTINGS, 'acme');
  await removeCopy(aip.kube, SETTINGS, 'globex');
  await removeCopy(aip.kube, SETTINGS, 'nowhere');
  expect(aip.kube.peek(KINDS.configMap, copyRef('acme'))).toBeUndefined();
  expect(aip.kube.peek(KINDS.configMap, copyRef('globex'))).toBeDefined();
});

test('a namespace that cannot be written is reported and delays nothing else', async () => {
  const aip = release();
  aip.kube.before = ({ verb, namespace }) => {
    if (verb === 'create' && namespace === 'going') throw new KubeForbidden(403, 'Forbidden', 'it is being terminated');
  };
  const { observations } = await aip.reconcile({ namespaces: ['going', 'acme'] });
  expect(aip.bundle('acme').dids.gateway).toEqual([aip.activeDid('gateway')]);
  expect(observations.filter(({ type }) => type === 'Stalled')).toMatchObject([{ reason: 'CopyRefused' }]);
});

const BROKEN = [
  ['a seed that is none', NAMES.key.gateway, { seed: 'c29tZXRoaW5n' }, 'KeyInvalid'],
  ['no seed', NAMES.key.gateway, { seed: null }, 'KeyInvalid'],
  ['a certificate that is none', NAMES.key.gateway, { 'tls.crt': 'c29tZXRoaW5n' }, 'CertificateInvalid'],
  ['a certificate without its key', NAMES.key.gateway, { 'tls.key': null }, 'CertificateInvalid'],
  ['an authority that is none', NAMES.ca, { 'ca.crt': 'c29tZXRoaW5n' }, 'AuthorityInvalid'],
  ['an authority without its key', NAMES.ca, { 'ca.key': null }, 'AuthorityInvalid'],
  ['previous authorities that are none', NAMES.ca, { 'ca.previous.crt': 'c29tZXRoaW5n' }, 'AuthorityInvalid'],
] as const;

test.each(BROKEN)(
  'a Secret with %s is left unchanged and reported; what was published stays',
  async (_, name, data, reason) => {
    const aip = release();
    await aip.reconcile();
    const published = aip.bundle();
    await aip.kube.merge(KINDS.secret, secretRef(name), { data });
    const broken = aip.secret(name);
    const { observations } = await aip.reconcile({ namespaces: ['acme', 'globex'] });
    const told = observations.filter(({ type }) => type === 'Stalled');
    expect(told).toMatchObject([{ object: name, reason }]);
    expect(told[0]?.message).toMatch(/delete it|remove tls.crt/);
    expect(aip.secret(name)).toEqual(broken);
    expect(aip.bundle('globex').dids).toEqual(published.dids);
    expect(aip.bundle('globex').authorities.map(({ pem }) => pem)).toEqual(published.authorities.map(({ pem }) => pem));
  },
);

test('an authority that is no P-256 pair is not used', async () => {
  const aip = release();
  await aip.reconcile();
  const leafAsCa = aip.secret(NAMES.key.gateway).data ?? {};
  const data = { 'ca.crt': leafAsCa['tls.crt'], 'ca.key': leafAsCa['tls.key'] };
  await aip.kube.merge(KINDS.secret, secretRef(NAMES.ca), { data });
  expect((await aip.reconcile()).observations).toContainEqual(expect.objectContaining({ reason: 'AuthorityInvalid' }));
});

test('a leaf is renewed in its time with the key of the service left as it is', async () => {
  const aip = release();
  const { wakeAt } = await aip.reconcile();
  const did = aip.activeDid('gateway');
  const before = [aip.leaf('control-plane').pem, aip.leaf('gateway').pem];
  aip.time.now = wakeAt as number;
  const { steps } = await aip.reconcile();
  expect(steps).toMatchObject([{ do: 'issue-leaf', reason: 'RenewalDue' }]);
  expect([aip.leaf('control-plane').pem, aip.leaf('gateway').pem].filter((pem) => !before.includes(pem))).toHaveLength(
    1,
  );
  expect(aip.activeDid('gateway')).toBe(did);
});

test('a key whose Secret was deleted is followed by a new one that is published before it is used', async () => {
  const aip = release();
  await aip.reconcile();
  const lost = aip.activeDid('gateway');
  await aip.kube.delete(KINDS.secret, secretRef(NAMES.key.gateway));
  const { observations } = await aip.reconcile();
  expect(observations).toContainEqual(expect.objectContaining({ object: NAMES.key.gateway, type: 'Rotating' }));
  expect(secretText(aip.secret(NAMES.key.gateway), 'seed')).toBeUndefined();
  const [first, next] = aip.bundle('acme').dids.gateway;
  expect(first).toBe(lost);
  aip.time.now += OVERLAP;
  await aip.reconcile();
  expect(aip.activeDid('gateway')).toBe(next);
  expect(aip.bundle('acme').dids.gateway).toEqual([next, lost]);
  aip.time.now += OVERLAP;
  await aip.reconcile();
  expect(aip.bundle('acme').dids.gateway).toEqual([next]);
});

test('a lost authority is followed by a new one that signs nothing before it is published everywhere', async () => {
  const aip = release();
  await aip.reconcile();
  const [lost, leaf] = [aip.ca(), aip.leaf('gateway').pem];
  await aip.kube.delete(KINDS.secret, secretRef(NAMES.ca));
  await aip.reconcile();
  expect(aip.leaf('gateway').pem).toBe(leaf);
  expect(aip.bundle('acme').authorities).toHaveLength(2);
  aip.time.now += OVERLAP + SECOND;
  await aip.reconcile();
  expect(aip.leaf('gateway').issuedBy(aip.ca())).toBe(true);
  expect(aip.bundle('acme').authorities.map(({ id }) => id)).toEqual([aip.ca().id, lost.id]);
});

test('a stolen key and a stolen authority are cut off at once when their Secrets and the bundle are deleted', async () => {
  const aip = release();
  await aip.reconcile();
  const [stolen, other, ca] = [aip.activeDid('gateway'), aip.activeDid('control-plane'), aip.ca().id];
  for (const name of [NAMES.key.gateway, NAMES.ca]) await aip.kube.delete(KINDS.secret, secretRef(name));
  await aip.kube.delete(KINDS.configMap, copyRef(NAMESPACE));
  await aip.reconcile();
  for (const namespace of [NAMESPACE, 'acme']) {
    expect(aip.bundle(namespace).dids).toEqual({ 'control-plane': [other], gateway: [aip.activeDid('gateway')] });
    expect(aip.bundle(namespace).authorities.map(({ id }) => id)).toEqual([aip.ca().id]);
  }
  expect([aip.activeDid('gateway') === stolen, aip.ca().id === ca]).toEqual([false, false]);
  for (const role of KEY_ROLES) expect(aip.leaf(role).issuedBy(aip.ca())).toBe(true);
});

test('a release confined to domains gets an authority that is', async () => {
  const aip = release({ ...SETTINGS, permittedDomains: ['svc', 'confined.example'] });
  await aip.reconcile();
  expect(aip.leaf('gateway').issuedBy(aip.ca())).toBe(true);
  const der = Buffer.from(aip.ca().pem.replace(/-----[^-]+-----/g, ''), 'base64');
  expect(der.includes('confined.example')).toBe(true);
});

import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { CERTIFICATE, type CertificateObject } from '#controller/trust/cert-manager.js';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { KEY_ROLES } from '#controller/trust/names.js';
import { newSecret, secretText } from '#controller/trust/objects.js';
import { reconcileTrust } from '#controller/trust/reconcile-trust.js';
import { NAMES, NAMESPACE, release, SETTINGS } from './support/release.ts';

const settings = { ...SETTINGS, certManagerIssuer: { name: 'internal', kind: 'ClusterIssuer' } as const };
const certificate = (aip: ReturnType<typeof release>) =>
  aip.kube.peek<CertificateObject>(CERTIFICATE, { namespace: NAMESPACE, name: 'aip-gateway' });

test('with an issuer, a Certificate for each service asks cert-manager for its leaf, and none is issued here', async () => {
  const aip = release(settings);
  const { observations } = await aip.reconcile();
  expect(certificate(aip)?.spec).toMatchObject({
    secretName: 'aip-gateway-tls',
    dnsNames: SETTINGS.leafNames.gateway.dnsNames,
    issuerRef: { name: 'internal', kind: 'ClusterIssuer', group: 'cert-manager.io' },
  });
  expect(secretText(aip.secret(NAMES.key.gateway), 'tls.crt')).toBeUndefined();
  expect(observations.filter(({ reason }) => reason === 'CertificatePending')).toHaveLength(2);
  expect(aip.bundle('acme').dids.gateway).toEqual([aip.activeDid('gateway')]);
});

test('the leaves that cert-manager wrote are used, once their authority is published beside our own', async () => {
  const aip = release(settings);
  await aip.reconcile();
  const issuer = await createCa({ now: aip.time.now });
  for (const role of KEY_ROLES) {
    const leaf = await issueLeaf(issuer, { ...SETTINGS.leafNames[role], now: aip.time.now });
    const texts = { 'ca.crt': issuer.certPem, 'tls.crt': leaf.certPem, 'tls.key': leaf.keyPem };
    await aip.kube.create(
      KINDS.secret,
      newSecret({ name: NAMES.certificateSecret(role), namespace: NAMESPACE }, texts),
    );
  }
  const { steps, observations } = await aip.reconcile();
  expect(steps.map((step) => step.do)).toEqual(['publish', 'publish', 'adopt-leaf', 'adopt-leaf']);
  expect(aip.leaf('gateway').issuedBy(readCertificate(issuer.certPem))).toBe(true);
  expect(aip.bundle('acme').authorities.map(({ pem }) => pem)).toEqual([aip.ca().pem, issuer.certPem]);
  expect(observations.every(({ type }) => type === 'Ready')).toBe(true);
  const before = aip.kube.calls.length;
  await aip.reconcile();
  expect(aip.kube.calls.slice(before).every(({ verb }) => verb === 'get')).toBe(true);
});

test('other names are applied to the Certificate', async () => {
  const aip = release(settings);
  await aip.reconcile();
  const uid = certificate(aip)?.metadata.uid;
  const leafNames = { ...SETTINGS.leafNames, gateway: { dnsNames: ['aip.example'], ipAddresses: ['10.0.0.1'] } };
  const wanted = { namespaces: [], tenants: [], replicaIssuers: [] };
  await reconcileTrust({ kube: aip.kube, clock: () => aip.time.now }, { ...settings, leafNames }, wanted);
  expect(certificate(aip)?.spec).toMatchObject({ dnsNames: ['aip.example'], ipAddresses: ['10.0.0.1'] });
  expect(certificate(aip)?.metadata.uid).toBe(uid);
});

test('a leaf of a public authority, which cert-manager gives without its authority, is used as it is', async () => {
  const aip = release(settings);
  await aip.reconcile();
  const issuer = await createCa({ now: aip.time.now });
  const leaf = await issueLeaf(issuer, { ...SETTINGS.leafNames.gateway, now: aip.time.now });
  const metadata = { name: NAMES.certificateSecret('gateway'), namespace: NAMESPACE };
  await aip.kube.create(KINDS.secret, newSecret(metadata, { 'tls.crt': leaf.certPem, 'tls.key': leaf.keyPem }));
  await aip.reconcile();
  expect(aip.leaf('gateway').pem).toBe(leaf.certPem);
});

test('a leaf of cert-manager that cannot be read is reported, and the one in use stays', async () => {
  const aip = release();
  await aip.reconcile();
  const before = aip.leaf('gateway').pem;
  const metadata = { name: NAMES.certificateSecret('gateway'), namespace: NAMESPACE };
  await aip.kube.create(KINDS.secret, newSecret(metadata, { 'tls.crt': 'something', 'tls.key': 'something' }));
  const wanted = { namespaces: [], tenants: [], replicaIssuers: [] };
  const { observations } = await reconcileTrust({ kube: aip.kube, clock: () => aip.time.now }, settings, wanted);
  expect(observations).toContainEqual(
    expect.objectContaining({ object: 'aip-gateway-tls', type: 'Stalled', reason: 'CertificateInvalid' }),
  );
  expect(aip.leaf('gateway').pem).toBe(before);
});

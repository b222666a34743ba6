import { expect, test } from 'vitest';
import { createCa } from '#controller/trust/certificates/ca.js';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { renewalTime } from '#controller/trust/certificates/renewal.js';
import { newSecret, type SecretObject } from '#controller/trust/objects.js';
import { type ActiveAuthority, activeAuthority } from '#controller/trust/replicas/active-authority.js';
import { newReplicaIdentity, replicaIdentity } from '#controller/trust/replicas/issue-replica.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { DAY, NAMESPACE, release, SETTINGS } from './support/release.ts';

const now = Date.UTC(2026, 0, 1);
const place = { replica: 'support-a1b2c3-0', instance: 'support', namespace: 'acme', clusterDomain: 'cluster.local' };

async function authority(): Promise<ActiveAuthority> {
  const pair = await createCa({ now });
  return { pair, certificate: readCertificate(pair.certPem) };
}

/** The Secret that holds an identity's data; `change` is what happened to it since. */
function secretOf(
  data: Readonly<Record<string, string>>,
  change: Record<string, string | undefined> = {},
): SecretObject {
  return newSecret({ name: place.replica, namespace: place.namespace }, { ...data, ...change });
}

const issued = (ca: ActiveAuthority) => newReplicaIdentity(place, ca, now);

test('a new replica gets a seed, its DID and a leaf for its names and that of the Service for deliveries', async () => {
  const ca = await authority();
  const { data, did, issuer } = await issued(ca);
  expect(data.seed).toMatch(/^[0-9a-f]{64}$/);
  expect([data.did, signingKeyFromSeed(data.seed).did]).toEqual([did, did]);
  const leaf = readCertificate(data['tls.crt']);
  expect(leaf.dnsNames).toEqual([
    'support-a1b2c3-0.support.acme.svc',
    'support-a1b2c3-0.support.acme.svc.cluster.local',
    'support-webhooks.acme.svc',
  ]);
  expect([leaf.issuedBy(ca.certificate), leaf.hasKey(data['tls.key']), issuer]).toEqual([
    true,
    true,
    ca.certificate.id,
  ]);
});

test('an identity that is in order stays as it is', async () => {
  const ca = await authority();
  const { data, did } = await issued(ca);
  const dueAt = renewalTime(readCertificate(data['tls.crt']), 'acme/support-a1b2c3-0');
  const kept = await replicaIdentity(secretOf(data), place, ca, dueAt - 1);
  expect(kept).toEqual({ state: 'current', did, issuer: ca.certificate.id, dueAt });
});

test.each([
  ['two thirds of its life are over', 'RenewalDue', {}, 67 * DAY, false],
  ['another authority is active', 'IssuerNotActive', {}, 0, true],
  ['it is not there', 'Missing', { 'tls.crt': undefined, 'tls.key': undefined }, 0, false],
  ['it cannot be read', 'Missing', { 'tls.crt': 'something' }, 0, false],
])('a leaf is renewed and the seed kept when %s', async (_, reason, change, later, otherCa) => {
  const ca = await authority();
  const { data, did } = await issued(ca);
  const active = otherCa ? await authority() : ca;
  const renewed = await replicaIdentity(secretOf(data, change), place, active, now + later);
  expect(renewed).toMatchObject({ state: 'renewed', reason, did, data: { seed: data.seed, did } });
  if (renewed.state !== 'renewed') return;
  expect(readCertificate(renewed.data['tls.crt']).issuedBy(active.certificate)).toBe(true);
  expect(renewed.issuer).toBe(active.certificate.id);
});

test.each([
  ['no seed', { seed: undefined }],
  ['a seed that is none', { seed: 'something' }],
  ['the DID of another seed', { did: signingKeyFromSeed('00'.repeat(32)).did }],
])('a Secret with %s is never written over', async (_, change) => {
  const ca = await authority();
  const { data } = await issued(ca);
  expect(await replicaIdentity(secretOf(data, change), place, ca, now)).toMatchObject({ state: 'broken' });
});

test('the active authority is that of the release, and none before there is one', async () => {
  const aip = release();
  expect(await activeAuthority(aip.kube, SETTINGS)).toBeUndefined();
  await aip.reconcile();
  const active = await activeAuthority(aip.kube, SETTINGS);
  expect(active?.certificate.pem).toBe(aip.ca().pem);
  const { data } = await issued(active as ActiveAuthority);
  expect(readCertificate(data['tls.crt']).issuedBy(aip.ca())).toBe(true);
  expect(await activeAuthority(aip.kube, { namespace: NAMESPACE, release: 'other' })).toBeUndefined();
});

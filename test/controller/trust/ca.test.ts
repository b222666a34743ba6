import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createCa, type IssuedCertificate, issueLeaf, type KeyPairPem } from '#controller/trust/certificates/ca.js';
import {
  CertificateUnreadable,
  readCertificate,
  readCertificates,
} from '#controller/trust/certificates/certificate.js';
import { decideRenewal, renewalTime } from '#controller/trust/certificates/renewal.js';

const DAY = 86_400_000;
const now = Date.now();
const names = ['gateway.aip.svc', 'gateway.aip.svc.cluster.local'];

/** What a node client that trusts `ca` and asks for `servername` gets from a node server with this leaf: its answer or what the error is called. */
async function ask(leaf: KeyPairPem, ca: string, servername: string): Promise<string> {
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (_, answer) => answer.end('served'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((done) => {
      request({ host: '127.0.0.1', port, ca, servername, agent: false }, (answer) => {
        answer.setEncoding('utf8').on('data', done);
      })
        .on('error', (error: NodeJS.ErrnoException) =>
          done(error.code === 'UNSPECIFIED' ? error.message : (error.code ?? '')),
        )
        .end();
    });
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

test('a node client that trusts the authority accepts its leaf, for its names alone', async () => {
  const ca = await createCa({ now });
  const leaf = await issueLeaf(ca, { dnsNames: names, ipAddresses: ['127.0.0.1', 'fd00::1'], now });
  expect(await ask(leaf, ca.certPem, 'gateway.aip.svc')).toBe('served');
  expect(await ask(leaf, ca.certPem, 'gateway.aip.svc.cluster.local')).toBe('served');
  expect(await ask(leaf, ca.certPem, '')).toBe('served');
  expect(await ask(leaf, ca.certPem, 'gateway.other.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  const read = readCertificate(leaf.certPem);
  expect(read).toMatchObject({ dnsNames: names, isCa: false, notAfter: leaf.notAfter });
  expect(read.ipAddresses).toHaveLength(2);
  expect(read.hasKey(leaf.keyPem)).toBe(true);
  expect(read.hasKey(ca.keyPem)).toBe(false);
});

test('an expired leaf and the leaf of another authority are refused', async () => {
  const [ca, other] = await Promise.all([createCa({ now: now - 100 * DAY }), createCa({ now })]);
  const expired = await issueLeaf(ca, { dnsNames: names, now: now - 91 * DAY });
  expect(await ask(expired, ca.certPem, 'gateway.aip.svc')).toBe('CERT_HAS_EXPIRED');
  const foreign = await issueLeaf(other, { dnsNames: names, now });
  expect(await ask(foreign, ca.certPem, 'gateway.aip.svc')).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
});

test('while authorities change, the bundle of both verifies leaves of either', async () => {
  const [old, next] = await Promise.all([createCa({ now }), createCa({ now })]);
  const bundle = next.certPem + old.certPem;
  const leaves = await Promise.all([old, next].map((ca) => issueLeaf(ca, { dnsNames: names, now })));
  for (const leaf of leaves) expect(await ask(leaf, bundle, 'gateway.aip.svc')).toBe('served');
  expect(readCertificates(bundle).map(({ id }) => id)).toEqual([
    readCertificate(next.certPem).id,
    readCertificate(old.certPem).id,
  ]);
});

test('an authority confined to domains vouches for no other name', async () => {
  const ca = await createCa({ now, permittedDomains: ['svc', 'cluster.local'] });
  const inside = await issueLeaf(ca, { dnsNames: names, now });
  expect(await ask(inside, ca.certPem, 'gateway.aip.svc')).toBe('served');
  const outside = await issueLeaf(ca, { dnsNames: ['bank.example'], now });
  expect(await ask(outside, ca.certPem, 'bank.example')).toBe('permitted subtree violation');
});

test('a leaf signs nothing: path length 0 and no CA right', async () => {
  const ca = await createCa({ now });
  const leaf = await issueLeaf(ca, { dnsNames: names, now });
  const forged = await issueLeaf(leaf, { dnsNames: ['gateway.aip.svc'], now });
  expect(await ask({ ...forged, certPem: forged.certPem + leaf.certPem }, ca.certPem, 'gateway.aip.svc')).not.toBe(
    'served',
  );
});

test('a leaf never outlives its authority, a serial number never comes twice', async () => {
  const ca = await createCa({ now, days: 30 });
  const leaves = await Promise.all([1, 2, 3].map(() => issueLeaf(ca, { dnsNames: names, now, days: 90 })));
  for (const leaf of leaves) expect(leaf.notAfter).toBe(ca.notAfter);
  expect(new Set(leaves.map((leaf) => leaf.certPem)).size).toBe(3);
  await expect(issueLeaf(ca, { dnsNames: [], now })).rejects.toThrow(RangeError);
});

test('a text that is not a certificate is reported', () => {
  expect(() => readCertificate('nonsense')).toThrow(CertificateUnreadable);
  expect(() => readCertificates('nonsense')).toThrow(CertificateUnreadable);
  expect(readCertificates('\n')).toEqual([]);
});

test('a leaf is renewed at two thirds of its life, when its names change, and when its authority is not the active one', async () => {
  const [ca, other] = await Promise.all([createCa({ now }), createCa({ now })]);
  const issued: IssuedCertificate = await issueLeaf(ca, { dnsNames: names, ipAddresses: ['fd00::1', '10.0.0.1'], now });
  const leaf = readCertificate(issued.certPem);
  const wanted = {
    name: 'gateway',
    dnsNames: [...names].reverse(),
    ipAddresses: ['10.0.0.1', 'fd00:0::1'],
    activeCa: readCertificate(ca.certPem),
  };
  const due = renewalTime(leaf, 'gateway');
  expect(decideRenewal(undefined, wanted, now).reason).toBe('Missing');
  expect(decideRenewal(leaf, wanted, due - 1)).toMatchObject({ renew: false, reason: 'Current', dueAt: due });
  expect(decideRenewal(leaf, wanted, due)).toMatchObject({ renew: true, reason: 'RenewalDue' });
  expect(decideRenewal(leaf, { ...wanted, dnsNames: ['gateway.aip.svc'] }, now).reason).toBe('NamesChanged');
  expect(decideRenewal(leaf, { ...wanted, ipAddresses: [] }, now).reason).toBe('NamesChanged');
  const active = readCertificate(other.certPem);
  expect(decideRenewal(leaf, { ...wanted, activeCa: active }, now).reason).toBe('IssuerNotActive');
});

test('the renewal of many leaves made at once is spread over a fifth of two thirds of their life', () => {
  const life = { notBefore: 0, notAfter: 90 * DAY };
  const times = Array.from({ length: 500 }, (_, n) => renewalTime(life, `replica-${n}`) / DAY);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(54);
  expect(Math.max(...times)).toBeLessThanOrEqual(66);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(11);
  expect(renewalTime(life, 'replica-7')).toBe(renewalTime(life, 'replica-7'));
});

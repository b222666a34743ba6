import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeUnavailable } from '#controller/kube/client/errors.js';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { openControlIdentity } from '#controller/trust/control-identity.js';
import { verifySignature } from '#runtime/protocol/signing.js';
import { DAY, NAMES, NAMESPACE, OVERLAP, type Release, release, SETTINGS } from './support/release.ts';

const ref = { namespace: NAMESPACE, name: NAMES.key['control-plane'] };

/** Pauses that end when the test says so. */
function heldPauses() {
  const asked: { ms: number; end: () => void }[] = [];
  return {
    asked,
    pause: (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((end) => {
        asked.push({ ms, end });
        if (signal.aborted) end();
        signal.addEventListener('abort', () => end());
      }),
    /** Lets the next look happen and waits until it is over. */
    look: async (): Promise<void> => {
      const before = asked.length;
      asked.at(-1)?.end();
      while (asked.length === before) await new Promise((done) => setImmediate(done));
    },
  };
}

async function opened(aip: Release) {
  const pauses = heldPauses();
  const failures: Error[] = [];
  const source = await openControlIdentity(
    { kube: aip.kube, onFailure: (error) => failures.push(error), pause: pauses.pause },
    SETTINGS,
  );
  onTestFinished(() => source.stop());
  return { source, failures, ...pauses };
}

test('a control plane that starts before its Secret is there waits for it', async () => {
  const aip = release();
  const pauses = heldPauses();
  const failures: Error[] = [];
  const opening = openControlIdentity(
    { kube: aip.kube, onFailure: (error) => failures.push(error), pause: pauses.pause },
    SETTINGS,
  );
  while (pauses.asked.length === 0) await new Promise((done) => setImmediate(done));
  await aip.reconcile();
  await pauses.look();
  const source = await opening;
  expect(failures).toEqual([expect.objectContaining({ name: 'ControlIdentityUnusable' })]);
  expect(source.current().key.did).toBe(aip.activeDid('control-plane'));
  await source.stop();
});

test('the wait for the Secret ends when the process is to end', async () => {
  const aip = release();
  const ending = new AbortController();
  const pauses = heldPauses();
  const opening = openControlIdentity(
    { kube: aip.kube, onFailure: () => undefined, pause: pauses.pause, signal: ending.signal },
    SETTINGS,
  );
  ending.abort(new Error('it ends'));
  await expect(opening).rejects.toThrow('it ends');
});

test('a rotated key and a renewed leaf are reported once each; a check that finds the same reports nothing', async () => {
  const aip = release();
  await aip.reconcile();
  const { source, look } = await opened(aip);
  const told: string[] = [];
  const forget = source.onChange(({ key }) => told.push(key.did));
  await look();
  expect(told).toEqual([]);

  await aip.rotate(NAMES.key['control-plane'], '1');
  await aip.reconcile();
  await look();
  expect(told).toEqual([]);
  aip.time.now += OVERLAP;
  await aip.reconcile();
  await look();
  expect(told).toEqual([aip.activeDid('control-plane')]);
  const { key } = source.current();
  const bytes = Buffer.from('signed');
  expect(await verifySignature(aip.activeDid('control-plane'), bytes, await key.sign(bytes))).toBe(true);

  aip.time.now += 67 * DAY;
  await aip.reconcile();
  await look();
  expect(told).toHaveLength(2);
  expect(readCertificate(source.current().tls.cert).pem).toBe(aip.leaf('control-plane').pem);
  forget();
});

test('the last sound identity stays while the API server is away, and when the Secret is spoilt or deleted', async () => {
  const aip = release();
  await aip.reconcile();
  const { source, failures, look } = await opened(aip);
  const before = source.current();
  aip.kube.before = () => {
    throw new KubeUnavailable(0, 'Timeout', 'no answer');
  };
  await look();
  aip.kube.before = () => undefined;
  await aip.kube.merge(KINDS.secret, ref, { data: { seed: 'c29tZXRoaW5n' } });
  await look();
  await aip.kube.delete(KINDS.secret, ref);
  await look();
  expect(source.current()).toBe(before);
  expect(failures.map(({ name }) => name)).toEqual([
    'KubeUnavailable',
    'ControlIdentityUnusable',
    'ControlIdentityUnusable',
  ]);
});

/** Waits for the answer to a request that is sent over an open connection; the status line. */
function ask(socket: TLSSocket): Promise<string> {
  return new Promise((done, fail) => {
    socket.once('error', fail);
    socket.once('data', (bytes) => done(bytes.toString().split('\r\n')[0] ?? ''));
    socket.write('GET / HTTP/1.1\r\nHost: control\r\n\r\n');
  });
}

function open(server: Server, ca: string): Promise<TLSSocket> {
  const { port } = server.address() as AddressInfo;
  const servername = SETTINGS.leafNames['control-plane'].dnsNames[0] as string;
  return new Promise((done, fail) => {
    const socket = connect({ host: '127.0.0.1', port, ca, servername }, () => done(socket));
    socket.once('error', fail);
    onTestFinished(() => void socket.destroy());
  });
}

test('a server that takes each new identity serves a new leaf without dropping a connection', async () => {
  const aip = release();
  aip.time.now = Date.now();
  await aip.reconcile();
  const { source, look } = await opened(aip);
  const server = createServer(source.current().tls, (_, answer) => answer.end('ok'));
  source.onChange(({ tls }) => server.setSecureContext(tls));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const bundle = () =>
    aip
      .bundle()
      .authorities.map(({ pem }) => pem)
      .join('');

  const before = await open(server, bundle());
  expect(await ask(before)).toBe('HTTP/1.1 200 OK');
  await aip.rotate(NAMES.ca, '1');
  await aip.reconcile();
  const between = bundle();
  aip.time.now += OVERLAP;
  await aip.reconcile();
  await look();

  const after = await open(server, between);
  expect(await ask(after)).toBe('HTTP/1.1 200 OK');
  const served = readCertificate(
    `-----BEGIN CERTIFICATE-----\n${after.getPeerCertificate().raw.toString('base64')}\n-----END CERTIFICATE-----`,
  );
  expect(served.issuedBy(aip.ca())).toBe(true);
  expect(await ask(before)).toBe('HTTP/1.1 200 OK');
});

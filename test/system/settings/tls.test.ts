import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { type EmbeddedPostgres, startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { spawnGateway } from '../../runtime/gateway/support/process.ts';
import { startTestbed } from '../../runtime/host/support/testbed.ts';
import { freshDatabase } from '../../support/database.ts';
import { lineOf, startProgram } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { startSetGateway } from './support.ts';

let folder: string;
let authority: string;
let seedFile: string;
let server: EmbeddedPostgres;
/** A database whose server has a certificate of the authority. */
let encrypted: string;
/** What an HTTPS server of the authority received, by path. */
const received: string[] = [];
const https = createServer((request, response) => {
  received.push(request.url ?? '');
  request.resume();
  response.writeHead(204).end();
});
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-settings-tls-'));
  const ca = await createCa({ now: Date.now() });
  const leaf = await issueLeaf(ca, { dnsNames: ['localhost'], now: Date.now() });
  const files = { 'tls.crt': leaf.certPem, 'tls.key': leaf.keyPem, 'ca.crt': ca.certPem, seed: newSeedHex() };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  authority = join(folder, 'ca.crt');
  seedFile = join(folder, 'seed');
  server = await startEmbedded({
    dataDir: join(folder, 'data'),
    durable: false,
    settings: { ssl: 'on', ssl_cert_file: join(folder, 'tls.crt'), ssl_key_file: join(folder, 'tls.key') },
  });
  const url = new URL(await ensureOwnedDatabase(server.url, { database: 'fleet', owner: 'fleet', password: 'fleet' }));
  url.hostname = 'localhost';
  url.searchParams.set('sslmode', 'verify-full');
  encrypted = url.href;
  https.setSecureContext({ cert: leaf.certPem, key: leaf.keyPem });
  await new Promise<void>((done) => https.listen(0, 'localhost', done));
  origin = `https://localhost:${(https.address() as AddressInfo).port}`;
});
afterAll(async () => {
  https.closeAllConnections();
  https.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a gateway trusts the authorities of POSTGRES_CA_FILE and CONNECTOR_REGISTRY_CA_FILE for its databases', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  await startSetGateway(encrypted, { POSTGRES_CA_FILE: authority });
  await startSetGateway(database.url, { CONNECTOR_REGISTRY_URL: encrypted, CONNECTOR_REGISTRY_CA_FILE: authority });
  const { stderr, ended } = spawnGateway({ POSTGRES_URL: encrypted });
  expect(await ended).toMatchObject({ code: 1 });
  expect(stderr()).toContain('"code"');
});

test('a host and a control plane trust the authority of DATABASE_CA_FILE', async () => {
  const testbed = await startTestbed({ idle: true });
  onTestFinished(() => testbed.stop());
  delete testbed.env.AIP_CONNECTOR_HOST_DATABASE_URL_FILE;
  Object.assign(testbed.env, {
    AIP_CONNECTOR_HOST_DATABASE_URL: encrypted,
    AIP_CONNECTOR_HOST_DATABASE_CA_FILE: authority,
  });
  await testbed.start();
  await testbed.ready();
  const variables = {
    AIP_CONNECTOR_CONTROL_BIND: '127.0.0.1:0',
    AIP_CONNECTOR_CONTROL_DATABASE_URL: encrypted,
    AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: seedFile,
  };
  const readiness = async (more: Record<string, string>): Promise<number> => {
    const program = startProgram('controller', ['control-plane'], { ...variables, ...more });
    onTestFinished(() => program.end());
    const { bind } = await lineOf<{ bind: string }>(program, 'it listens', (line) => line.bind !== undefined);
    return (await fetch(`${bind}/ready`)).status;
  };
  expect(await readiness({ AIP_CONNECTOR_CONTROL_DATABASE_CA_FILE: authority })).toBe(200);
  expect(await readiness({})).toBe(503);
});

test('callbacks and delegates are trusted by the authorities of their own files', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const { did } = signingKeyFromSeed(newSeedHex());
  const gateway = await startSetGateway(database.url, {
    CALLBACK_ALLOWED_HOSTS: 'localhost',
    CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    CALLBACK_TLS_CA_FILE: authority,
    DELEGATION_HTTP_ROUTES: `agent:delegate=${origin}/delegate,agent:delegate,${did}`,
    DELEGATION_ALLOW_PRIVATE_NETWORKS: 'true',
    DELEGATION_TLS_CA_FILE: authority,
  });
  await gateway.client.submit({
    capability_id: 'cap:aip:server:health',
    mode: 'async',
    callback: { profile: 'aip.native.http.v1', target: `${origin}/callback` },
  });
  await until('the callback arrived', () => received.includes('/callback'));
  const delegation_request = {
    delegation_id: newId('delegation'),
    parent_action_id: newId('action'),
    child_action: { id: newId('action'), capability_id: 'cap:kb:search', input: {} },
    requested_by: { id: 'service:aip-gateway:http-edge', kind: 'service' },
    delegate: { id: 'agent:delegate', kind: 'agent' },
    scope: 'kb:read',
  } as const;
  void gateway.client
    .post('/aip/v1/messages', newEnvelope({ delegation_request }, {}, { clock: Date.now }))
    .catch(() => undefined);
  await until('the delegation arrived', () => received.includes('/delegate'));
  expect(new Set(received)).toEqual(new Set(['/callback', '/delegate']));
});

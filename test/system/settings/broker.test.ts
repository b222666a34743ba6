import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { signEnvelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { frameOf } from '#runtime/transport/nats/frame.js';
import { requestSubject } from '#runtime/transport/nats/subjects.js';
import { NATS_SERVER, startNatsServer } from '../../runtime/gateway/endpoints/broker/nats-server.ts';
import { actionEnvelope } from '../../runtime/gateway/support/gateway.ts';
import { freshDatabase } from '../../support/database.ts';
import { startSetGateway } from './support.ts';

const USER = { user: 'gateway', pass: 'the password' };

describe.skipIf(NATS_SERVER === undefined)('the broker of the settings', () => {
  test('a gateway logs in over TLS, listens under its names and answers NATS_MAX_IN_FLIGHT messages at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aip-settings-nats-'));
    const ca = await createCa({ now: Date.now() });
    const leaf = await issueLeaf(ca, { dnsNames: ['localhost'], now: Date.now() });
    const key = signingKeyFromSeed(newSeedHex());
    const signer = [{ signer_did: key.did, principal_id: 'agent:caller', scopes: ['*'], tenant_id: 'acme' }];
    const path = (name: string): string => join(folder, name);
    const files = { 'tls.crt': leaf.certPem, 'tls.key': leaf.keyPem, 'ca.crt': ca.certPem, password: USER.pass };
    for (const [name, text] of Object.entries({ ...files, signers: JSON.stringify(signer) }))
      await writeFile(path(name), text, { mode: 0o600 });
    const login = ['--user', USER.user, '--pass', USER.pass];
    const server = await startNatsServer([
      '--tls',
      '--tlscert',
      path('tls.crt'),
      '--tlskey',
      path('tls.key'),
      ...login,
    ]);
    const database = await freshDatabase();
    onTestFinished(async () => {
      await server.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });
    const url = server.url.replace('nats://127.0.0.1', 'tls://localhost');
    // It is ready only once it is connected and subscribed.
    await startSetGateway(database.url, {
      NATS_URL: url,
      NATS_USERNAME: USER.user,
      NATS_PASSWORD_FILE: path('password'),
      NATS_TLS_CA_FILE: path('ca.crt'),
      NATS_TRUST_DOMAIN: 'other.example',
      NATS_SERVICE: 'named',
      NATS_VERSION: 'v7',
      NATS_MAX_IN_FLIGHT: '1',
      TRUSTED_SIGNER_FILE: path('signers'),
      TRUST_DOMAIN: 'test',
    });
    const nats = await connect({ servers: url, ...USER, tls: { ca: ca.certPem } });
    onTestFinished(() => nats.close());
    const ask = async (): Promise<string> => {
      const caller = { id: 'agent:caller', kind: 'agent', trust_domain: 'test' } as const;
      const envelope = await signEnvelope(actionEnvelope(), caller, key);
      const subject = requestSubject(
        { trustDomain: 'other.example', service: 'named', version: 'v7' },
        envelope.message_type,
      );
      return (await nats.request(subject, frameOf(envelope).payload, { timeout: 30_000 })).string();
    };
    expect(await ask()).toContain('"completed"');
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    const refused = answers.filter((text) => text.includes('"transport.nats.capacity"'));
    expect(refused.length).toBeGreaterThan(0);
    // The bound of all messages is met before that of one signer.
    expect(refused.filter((text) => text.includes('of this signer'))).toEqual([]);
    expect(answers.filter((text) => text.includes('"completed"')).length).toBeGreaterThan(0);
  });
});

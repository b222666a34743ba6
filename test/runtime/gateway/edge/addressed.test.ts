import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { signEnvelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { startFleet } from '../../registry/fleet.ts';
import { actionEnvelope, errorOf, startHttpGateway } from '../support/gateway.ts';

test('a signed envelope that names the DID of its recipient is taken only by the gateway that signs with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aip-addressed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const seed = newSeedHex();
  await writeFile(join(folder, 'seed'), seed);
  await chmod(join(folder, 'seed'), 0o600);
  const fleet = await startFleet();
  onTestFinished(() => fleet.close());
  const sender = { id: 'agent:desk', kind: 'agent' as const };
  const key = signingKeyFromSeed(newSeedHex());
  const gateway = await startHttpGateway({
    databaseUrl: fleet.url,
    signers: [{ signer_did: key.did, principal_id: sender.id, tenant_id: 'acme', scopes: ['action:read'] }],
    env: {
      AIP_GATEWAY_CONNECTOR_REGISTRY_URL: fleet.url,
      AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
      AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    },
  });
  onTestFinished(() => gateway.stop());
  const sendTo = async (did: string) => {
    const to = { id: 'service:aip-gateway', kind: 'service' as const, did };
    return gateway.call('POST', '/aip/v1/messages', {
      body: await signEnvelope(actionEnvelope({}, { to }), sender, key),
    });
  };
  expect((await sendTo(signingKeyFromSeed(seed).did)).status).toBe(200);
  const other = await sendTo(signingKeyFromSeed(newSeedHex()).did);
  expect([other.status, errorOf(other).code]).toEqual([401, 'auth.signature.invalid']);
});

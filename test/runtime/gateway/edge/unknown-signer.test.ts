import { expect, onTestFinished, test } from 'vitest';
import { signEnvelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { actionEnvelope, errorOf, startHttpGateway } from '../support/gateway.ts';

test('a signer that is not trusted is refused before its signature is checked, a trusted one by its signature', async () => {
  const sender = { id: 'agent:desk', kind: 'agent' as const };
  const [trusted, stranger] = [signingKeyFromSeed(newSeedHex()), signingKeyFromSeed(newSeedHex())];
  const gateway = await startHttpGateway({
    signers: [{ signer_did: trusted.did, principal_id: sender.id, tenant_id: 'acme', scopes: ['*'] }],
  });
  onTestFinished(() => gateway.stop());
  const refusalOfAltered = async (key: typeof trusted) => {
    const signed = await signEnvelope(actionEnvelope(), sender, key);
    const answer = await gateway.call('POST', '/aip/v1/messages', { body: { ...signed, trace: { altered: true } } });
    const { code, message } = errorOf(answer);
    return [answer.status, code, message];
  };
  const invalid = [401, 'auth.signature.invalid'];
  expect(await refusalOfAltered(stranger)).toEqual([...invalid, expect.stringContaining('is not trusted here')]);
  expect(await refusalOfAltered(trusted)).toEqual([...invalid, expect.stringContaining('is not one of did:key:')]);
});

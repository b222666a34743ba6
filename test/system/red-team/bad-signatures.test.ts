import { afterAll, beforeAll, expect, test } from 'vitest';
import { signEnvelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { actionEnvelope } from '../../runtime/gateway/support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../../runtime/gateway/support/process.ts';
import { freshDatabase } from '../../support/database.ts';

/** Messages that arrive at the same moment, each with as many members as take its receiver long. */
const MESSAGES = 10;
const MEMBERS = 20_000;
const sender = { id: 'agent:desk', kind: 'agent' as const };
const trusted = signingKeyFromSeed(newSeedHex());

let database: Awaited<ReturnType<typeof freshDatabase>>;
let gateway: GatewayProcess;
beforeAll(async () => {
  database = await freshDatabase();
  gateway = await startGatewayProcess({
    POSTGRES_URL: database.url,
    NATIVE_BEARER_TOKEN: 'witness',
    NATIVE_PRINCIPAL_SCOPES: '*',
    TRUSTED_SIGNERS: `${trusted.did}=${sender.id}`,
  });
});
afterAll(async () => {
  await gateway?.end('SIGKILL');
  await database?.drop();
});

const post = async (body: string, headers: Record<string, string> = {}): Promise<number> => {
  const response = await fetch(`${gateway.url}/aip/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
  return response.status;
};

test.each([
  ['a trusted signer', trusted],
  ['a stranger', signingKeyFromSeed(newSeedHex())],
])('calls of a tenant are answered between large messages with bad signatures of %s', async (_name, key) => {
  const padding = Object.fromEntries(Array.from({ length: MEMBERS }, (_, n) => [`member_${n}`, n]));
  const signed = await signEnvelope(actionEnvelope({}, { trace: padding }), sender, key);
  const altered = JSON.stringify({ ...signed, message_id: `${signed.message_id}0` });
  let pending = MESSAGES;
  const flood = Array.from({ length: MESSAGES }, () =>
    post(altered).finally(() => {
      pending -= 1;
    }),
  );
  let between = 0;
  while (pending > 0) {
    expect(await post(JSON.stringify(actionEnvelope()), { authorization: 'Bearer witness' })).toBe(200);
    if (pending > 0) between += 1;
  }
  expect(await Promise.all(flood)).toEqual(Array.from({ length: MESSAGES }, () => 401));
  expect(between).toBeGreaterThanOrEqual(MESSAGES / 2);
});

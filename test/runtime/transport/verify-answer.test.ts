import { expect, test } from 'vitest';
import { type Envelope, newEnvelope, replyEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { NotAuthorized } from '#runtime/protocol/errors.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import { verifyAnswer } from '#runtime/transport/peer/verify.js';
import { alterations } from '../../support/alter.ts';
import { CENTRAL, centralKey, completed, HOST, TRUST_DOMAIN } from './peer.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const clock = () => NOW;
const key = signingKeyFromSeed(newSeedHex());
const peer = { principal: HOST, did: key.did, trustDomain: TRUST_DOMAIN };

async function exchanged(over: Partial<Envelope> = {}): Promise<{ request: Envelope; answer: Envelope }> {
  const action = { id: 'act_1', capability_id: 'cap:demo:echo', input: {} };
  const fields = { correlation_id: 'corr_1', session_id: 'sess_1', to: { id: HOST.id, kind: HOST.kind } };
  const plain = newEnvelope({ action } as Envelope['body'], fields, { clock });
  const request = await signEnvelope(plain, CENTRAL, centralKey);
  const reply = replyEnvelope(request, completed('act_1', { text: 'signed', n: 1, flag: true }), { clock, from: HOST });
  return { request, answer: await signEnvelope({ ...reply, ...over }, HOST, key) };
}

test('F-174 no member of a signed answer may change or go, each alone', async () => {
  const { request, answer } = await exchanged();
  await verifyAnswer(answer, request, peer, NOW);
  const altered = alterations(answer);
  const taken: string[] = [];
  for (const { at, value } of altered) {
    const outcome = await verifyAnswer(value, request, peer, NOW).catch((error) => error);
    if (!(outcome instanceof NotAuthorized)) taken.push(`${at}: ${outcome}`);
  }
  expect(taken).toEqual([]);
  expect(altered.length).toBeGreaterThan(30);
});

test('N-466 an answer of 300000 ms before or after the clock is taken, one millisecond more is not', async () => {
  for (const [ms, fresh] of [
    [-299_999, true],
    [-300_000, true],
    [-300_001, false],
    [299_999, true],
    [300_000, true],
    [300_001, false],
  ] as const) {
    const { request, answer } = await exchanged({ sent_at: formatTime(NOW + ms) });
    const outcome = await verifyAnswer(answer, request, peer, NOW).catch((error) => error);
    expect(outcome === undefined, `${ms} ms`).toBe(fresh);
  }
});

test('N-465 the answer to one request is none to the next', async () => {
  const [first, second] = [await exchanged(), await exchanged()];
  await expect(verifyAnswer(first.answer, second.request, peer, NOW)).rejects.toBeInstanceOf(NotAuthorized);
});

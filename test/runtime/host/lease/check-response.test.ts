import { expect, test } from 'vitest';
import { checkResponse } from '#runtime/host/lease/check-response.js';
import { LeaseRefused, LeaseUncertain } from '#runtime/host/lease/errors.js';
import { signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime, leaseArray } from '#runtime/protocol/time.js';
import { alterations } from '../../../support/alter.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const [active, next, stranger] = [newSeedHex(), newSeedHex(), newSeedHex()].map(signingKeyFromSeed) as [
  ReturnType<typeof signingKeyFromSeed>,
  ReturnType<typeof signingKeyFromSeed>,
  ReturnType<typeof signingKeyFromSeed>,
];
const expected = { requestId: 'msg_1', controlDids: [active.did, next.did], now: NOW };

async function answered(over: object = {}, key = active): Promise<{ response: object; signature: string }> {
  const response = {
    request_id: 'msg_1',
    issued_at: formatTime(NOW),
    expires_at: formatTime(NOW + 30_000),
    signer_did: key.did,
    status: 'lease',
    lease: { sequence: 7, expires_at: leaseArray(NOW + 30_000) },
    ...over,
  };
  return { response, signature: await signValue(response, key) };
}
const outcomeOf = (wrapper: unknown) => checkResponse(JSON.stringify(wrapper), expected).catch((error) => error);

test('F-195 no member of a signed lifecycle response may change or go, each alone', async () => {
  const wrapper = await answered();
  expect(await outcomeOf(wrapper)).toMatchObject({ status: 'lease', sequence: 7 });
  const altered = alterations(wrapper);
  const taken: string[] = [];
  for (const { at, value } of altered) {
    const outcome = await outcomeOf(value);
    if (!(outcome instanceof LeaseUncertain)) taken.push(`${at}: ${outcome}`);
  }
  expect(taken).toEqual([]);
  expect(altered.length).toBeGreaterThan(20);
});

test('F-193 every trusted DID of the control plane may sign, no other, and none for another', async () => {
  for (const key of [active, next]) expect(await outcomeOf(await answered({}, key))).toHaveProperty('sequence', 7);
  expect(await outcomeOf(await answered({}, stranger))).toBeInstanceOf(LeaseUncertain);
  expect(await outcomeOf(await answered({ signer_did: next.did }, active))).toBeInstanceOf(LeaseUncertain);
});

test.each([
  ['issued 5000 ms ahead', 5000, 35_000, true],
  ['issued 5001 ms ahead', 5001, 35_000, false],
  ['ending in a millisecond', -29_999, 1, true],
  ['ending now', -30_000, 0, false],
  ['lasting 30000 ms', 0, 30_000, true],
  ['lasting 30001 ms', 0, 30_001, false],
])('F-194 a response %s is taken or not: %i %i %s', async (_what, issued, expires, taken) => {
  const window = { issued_at: formatTime(NOW + issued), expires_at: formatTime(NOW + expires) };
  const outcome = await outcomeOf(await answered(window));
  expect(outcome instanceof LeaseUncertain).toBe(!taken);
});

test('F-187 F-189 a signed rejection is final, a signed "unavailable" is not, an unsigned one says nothing', async () => {
  const rejected = { status: 'rejected', lease: undefined, code: 'connector_control.rejected', message: 'no' };
  expect(await outcomeOf(await answered(rejected))).toBeInstanceOf(LeaseRefused);
  const unavailable = { ...rejected, code: 'connector_control.unavailable' };
  expect(await outcomeOf(await answered(unavailable))).toBeInstanceOf(LeaseUncertain);
  const { response } = await answered(rejected);
  expect(await outcomeOf({ response })).toBeInstanceOf(LeaseUncertain);
  expect(await outcomeOf({ response, signature: await signValue(response, stranger) })).toBeInstanceOf(LeaseUncertain);
});

test('F-195 part: a response to another request is not taken, however well it is signed', async () => {
  expect(await outcomeOf(await answered({ request_id: 'msg_2' }))).toBeInstanceOf(LeaseUncertain);
});

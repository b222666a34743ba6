import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { mayRunInline } from '#runtime/protocol/content/inline-budget.js';
import { newSeedHex, signingKeyFromSeed, verifySignature } from '#runtime/protocol/signing.js';

beforeEach(() => nextTurn());

test('48 signatures of a turn run on the event loop, the next does not, and the next turn has its own 48', async () => {
  const allowed = Array.from({ length: 49 }, () => mayRunInline(100));
  expect(allowed).toEqual([...Array<boolean>(48).fill(true), false]);
  await nextTurn();
  expect(mayRunInline(100)).toBe(true);
});

test('what is larger than 64 KiB never runs on the event loop', () => {
  expect(mayRunInline(65_536)).toBe(true);
  expect(mayRunInline(65_537)).toBe(false);
});

test('a signature is the same wherever it is made, and verified the same', async () => {
  const key = signingKeyFromSeed(newSeedHex());
  const bytes = Buffer.from('x'.repeat(100));
  const signatures = await Promise.all(Array.from({ length: 64 }, () => key.sign(bytes)));
  expect(new Set(signatures).size).toBe(1);
  const [signature = ''] = signatures;
  const verdicts = await Promise.all(Array.from({ length: 64 }, () => verifySignature(key.did, bytes, signature)));
  expect(new Set(verdicts)).toEqual(new Set([true]));
  const other = Buffer.from('y'.repeat(100));
  const refused = await Promise.all(Array.from({ length: 64 }, () => verifySignature(key.did, other, signature)));
  expect(new Set(refused)).toEqual(new Set([false]));
});

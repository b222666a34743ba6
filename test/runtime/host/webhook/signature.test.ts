import { expect, test } from 'vitest';
import { authenticationProblem } from '#runtime/host/webhook/signature.js';
import { webhookSignature } from '#runtime/protocol/wire/webhook.js';

const NOW = Date.UTC(2026, 0, 1);
const SIGNED = NOW / 1000;
const key = Buffer.from('0123456789abcdef');
const body = Buffer.from('{"event":"message_created","account":{"id":1},"conversation":{"id":2}}');
const headers = (timestamp: number, hex = webhookSignature(key, String(timestamp), body).toString('hex')) => ({
  deliveryId: 'd',
  timestamp,
  signedTimestamp: String(timestamp),
  signature: `sha256=${hex}`,
});

test('P-094 the vector of the protocol verifies', () => {
  const hex = '16a4b6abbf7749d734d9851e292c406d8a97543caed65a4cda99674628595f10';
  expect(authenticationProblem(headers(SIGNED, hex), body, [key], NOW)).toBeUndefined();
});

test.each([
  ['P-100', 299, true],
  ['P-100', 300, true],
  ['P-100', 301, false],
  ['P-101', -299, true],
  ['P-101', -300, true],
  ['P-101', -301, false],
])('%s a timestamp %i seconds before the clock is accepted: %s', (_id, age, accepted) => {
  for (const milliseconds of [0, 999]) {
    const problem = authenticationProblem(headers(SIGNED), body, [key], NOW + age * 1000 + milliseconds);
    expect(problem === undefined).toBe(accepted);
  }
});

test('P-099 lengths are compared first, and values of equal length in constant time', async () => {
  for (const bytes of [0, 1, 31, 33, 64]) {
    const signature = { ...headers(SIGNED), signature: `sha256=${'ab'.repeat(bytes)}` };
    expect(authenticationProblem(signature, body, [key], NOW)).toContain('not made with the webhook secret');
  }
  const { timingSafeEqual } = await import('node:crypto');
  expect(() => timingSafeEqual(Buffer.alloc(31), Buffer.alloc(32))).toThrow();
  const { readFile } = await import('node:fs/promises');
  const source = await readFile('runtime/src/host/webhook/signature.ts', 'utf8');
  expect(source).toContain('given.length === expected.length && timingSafeEqual(given, expected)');
});

test('every key that is in force is tried', () => {
  const other = Buffer.from('another');
  expect(authenticationProblem(headers(SIGNED), body, [other, key], NOW)).toBeUndefined();
  expect(authenticationProblem(headers(SIGNED), body, [other], NOW)).toBeDefined();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { twenty } from '#runtime/connectors/twenty/twenty.js';
import { documentValueOf } from '#runtime/host/execution/document-value.js';
import { openJsonCheck } from '#runtime/protocol/decode/json-check.js';
import type { Behavior } from '../../simulators/behavior.ts';
import { type Simulator, startSimulator } from '../../support/simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator('twenty');
});
afterAll(() => simulator?.stop());

const LIMIT = 100_000;

/** A store that keeps nothing and checks what it is given as the real one does. */
async function checked(_actionId: string, parts: AsyncIterable<Uint8Array>) {
  const check = openJsonCheck();
  for await (const part of parts) check.push(part);
  check.end();
  return { digest: '', bytes: 0 };
}

/** Reads the core document with this bound, without a fleet. */
async function read(behavior: Behavior, limit: number | undefined = LIMIT): Promise<unknown> {
  await simulator.behave(behavior);
  const config = {
    base_url: simulator.url,
    workspace_id: '20202020-1c25-4d02-bf25-6aeccf7ea419',
    ...(limit !== undefined && { max_response_bytes: limit }),
  };
  const ctx = {
    config,
    secret: () => 'twenty-api-key',
    signal: new AbortController().signal,
    action: { id: 'act_1' },
    document: (parts: AsyncIterable<Buffer>) => documentValueOf(parts, 'act_1', { write: checked }),
  };
  return twenty.capabilities(config)[0]?.run({}, ctx as never);
}
const TOO_LARGE = {
  code: 'connector.twenty.invalid_response',
  retryable: false,
  message: `the answer of the provider is larger than ${LIMIT} bytes`,
};

test.each([undefined, 'none'] as const)(
  'P-164 part: a document of exactly the ceiling is read, declared %s',
  async (declared) => {
    await expect(read({ bytes: LIMIT, ...(declared && { declared }) })).resolves.toMatchObject({ http_status: 200 });
  },
);

test('P-164 P-173 a declared length above the ceiling fails before the body: here it never comes', async () => {
  await expect(read({ body: '{}', declared: LIMIT + 1 })).rejects.toMatchObject(TOO_LARGE);
});

test('P-164 P-174 an accumulated length above the ceiling fails without a declared one', async () => {
  await expect(read({ bytes: LIMIT + 1, declared: 'none' })).rejects.toMatchObject(TOO_LARGE);
  await expect(read({ bytes: 50 * LIMIT, declared: 'none' })).rejects.toMatchObject(TOO_LARGE);
});

test('P-174 a body longer than its declared length gives no partial document', async () => {
  await expect(read({ bytes: 2 * LIMIT, declared: 50 })).rejects.toMatchObject({
    code: expect.stringMatching(/^connector\.twenty\.(invalid_response|transport)$/),
  });
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verdictOfAnswer } from '#runtime/gateway/dispatch/verdict.js';
import { documentValue, ENVELOPE_BYTES } from '#runtime/protocol/content/documents.js';
import type { Envelope } from '#runtime/protocol/types.js';
import { exchange } from '#runtime/transport/peer/exchange.js';

const ENVELOPE = '{"envelope":true}';
const DOCUMENT = Buffer.from(`"${'d'.repeat(300_000)}"`);

let listener: RequestListener = () => undefined;
const server = createServer((request, response) => listener(request, response));
let pool: Pool;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await pool.destroy();
  server.closeAllConnections();
  server.close();
});

interface Taken {
  document?: Buffer;
  failure?: unknown;
}
/** One exchange whose document is collected. */
function ask(taken: Taken, maxBytes = DOCUMENT.length, keep = collect) {
  const document = { maxBytes, keep: (parts: AsyncIterable<Buffer>) => keep(parts, taken) };
  const bounds = { timeoutMs: 5000, maxBytes: 1000 };
  return exchange(pool, { origin: '', path: '/', headers: {}, body: '', ...bounds, document });
}
async function collect(parts: AsyncIterable<Buffer>, taken: Taken): Promise<void> {
  try {
    taken.document = Buffer.concat(await Array.fromAsync(parts));
  } catch (error) {
    taken.failure = error;
    throw error;
  }
}
const framed: RequestListener = (_request, response) => {
  response.writeHead(200, { [ENVELOPE_BYTES]: ENVELOPE.length });
  response.write(ENVELOPE + DOCUMENT.toString('utf8', 0, 100));
  response.end(DOCUMENT.subarray(100));
};

test('the envelope and the document after it are distinguished by the bytes of the envelope', async () => {
  listener = framed;
  const taken: Taken = {};
  const answer = await ask(taken);
  expect([answer.status, answer.body.toString()]).toEqual([200, ENVELOPE]);
  expect(taken.document?.equals(DOCUMENT)).toBe(true);
});

test('an answer that ends in the middle of its document has no status, so that the same bytes may be sent again', async () => {
  listener = (_request, response) => {
    response.writeHead(200, { [ENVELOPE_BYTES]: ENVELOPE.length, 'content-length': ENVELOPE.length + DOCUMENT.length });
    response.write(ENVELOPE + DOCUMENT.toString('utf8', 0, 1000), () => response.destroy());
  };
  const taken: Taken = {};
  await expect(ask(taken)).rejects.toMatchObject({ reached: true, status: undefined });
  expect(taken.failure).toBeInstanceOf(Error);
});

test('a document above the bound of its capability is refused, declared or not', async () => {
  listener = framed;
  await expect(ask({}, DOCUMENT.length - 1)).rejects.toThrow('larger than its bound');
  listener = (_request, response) => {
    response.writeHead(200, { [ENVELOPE_BYTES]: ENVELOPE.length, 'content-length': ENVELOPE.length + DOCUMENT.length });
    response.flushHeaders();
  };
  await expect(ask({}, DOCUMENT.length - 1)).rejects.toThrow('larger than its bound');
});

test('what the store throws ends the exchange', async () => {
  listener = framed;
  const broken = async (parts: AsyncIterable<Buffer>): Promise<void> => {
    for await (const _part of parts) throw new Error('the storage is away');
  };
  await expect(ask({}, DOCUMENT.length, broken)).rejects.toThrow('the storage is away');
});

test('an answer without a document is collected as before, within the bound of every answer', async () => {
  listener = (_request, response) => response.end('x'.repeat(1000));
  expect((await ask({})).body).toHaveLength(1000);
  listener = (_request, response) => response.end('x'.repeat(1001));
  await expect(ask({})).rejects.toThrow('larger than 1000 bytes');
});

test('a document that the result does not name makes the outcome unknown', () => {
  const kept = { digest: `sha256:${'a'.repeat(64)}`, bytes: 7 };
  const answer = (output: unknown) =>
    ({ body: { action_result: { action_id: 'act_1', status: 'completed', output } } }) as unknown as Envelope;
  expect(verdictOfAnswer(answer({ body: documentValue(kept) }), 'act_1', kept).kind).toBe('result');
  for (const output of [{ body: null }, { body: documentValue({ ...kept, digest: `sha256:${'b'.repeat(64)}` }) }])
    expect(verdictOfAnswer(answer(output), 'act_1', kept)).toMatchObject({
      kind: 'failed',
      error: { code: 'connector.outcome_unknown' },
    });
});

import { expect, test } from 'vitest';
import { count } from '#runtime/connectors/demo/count.js';
import type { ConnectorCapability } from '#runtime/connectors/sdk/capability.js';
import type { CapabilityContext, ChunkContent } from '#runtime/connectors/sdk/context.js';
import type { EndpointClient } from '#runtime/host/central/endpoint-client.js';
import { openChunkStreams } from '#runtime/host/execution/chunk-stream.js';
import { execute } from '#runtime/host/execution/execute.js';
import type { Work } from '#runtime/host/execution/work.js';
import { decodeEnvelope, replyEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action, Principal, StreamChunk } from '#runtime/protocol/types.js';
import { REFUSED } from '../support/ingress.ts';

const [hostKey, centralKey] = [signingKeyFromSeed(newSeedHex()), signingKeyFromSeed(newSeedHex())];
const principal: Principal = { id: 'agent:demo:test', kind: 'agent', trust_domain: 'fleet.test' };
const gateway = { id: 'service:central', kind: 'service' as const, trust_domain: 'fleet.test' };
const action = {
  id: 'act_1',
  capability_id: 'cap:demo:count',
  mode: 'streaming',
  callback: { metadata: { connector_callback_recipient: { ...gateway, did: centralKey.did } } },
};
const work = { action, envelope: { correlation_id: 'corr_1' }, route: { action_id: 'act_1' } } as unknown as Work;

/** A stream whose central server takes chunks only when it is let to, and one of them never. */
function openStream(refused?: number) {
  const opened = Promise.withResolvers<void>();
  const taken: StreamChunk[] = [];
  const endpoint = {
    post: async (text: string) => {
      await opened.promise;
      const envelope = decodeEnvelope(parseJson(text));
      const chunk = (envelope.body as { stream_chunk: StreamChunk }).stream_chunk;
      if (chunk.sequence === refused) return { status: 400, body: Buffer.from(REFUSED) };
      taken.push(chunk);
      const reply = replyEnvelope(envelope, { event_stream: { events: [] } }, { clock: Date.now, from: gateway });
      return { status: 200, body: Buffer.from(JSON.stringify(await signEnvelope(reply, gateway, centralKey))) };
    },
  } as unknown as EndpointClient;
  const open = openChunkStreams({
    endpoint,
    central: { principal: gateway, dids: () => [centralKey.did] },
    signer: { principal, key: hostKey },
    clock: Date.now,
  });
  return { stream: open(work, new AbortController().signal), taken, letIn: opened.resolve };
}

const small = (n: number): ChunkContent => ({ kind: 'data', data: n });
/** Content of exactly so many bytes. */
const sized = (bytes: number): ChunkContent => ({
  kind: 'data',
  data: 'x'.repeat(bytes - '{"kind":"data","data":""}'.length),
});

test('1000 chunks of an action may wait for their turn and arrive in order; one more fails the stream', async () => {
  const { stream, taken, letIn } = openStream();
  for (let n = 1; n <= 1000; n += 1) void stream.emit(small(n));
  expect(stream.failure()).toBeUndefined();
  letIn();
  await stream.settled();
  expect(taken.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1));

  const second = openStream();
  for (let n = 1; n <= 1000; n += 1) void second.stream.emit(small(n));
  await expect(second.stream.emit(small(1001))).rejects.toMatchObject({ code: 'connector.stream_undelivered' });
  expect(second.stream.failure()?.message).toContain('1000 chunks');
  second.letIn();
  await second.stream.settled();
  expect(second.taken).toEqual([]);
});

test('4194304 bytes of an action may wait for their turn; one byte more fails the stream', async () => {
  const { stream, letIn } = openStream();
  for (let n = 0; n < 31; n += 1) void stream.emit(sized(131_072));
  void stream.emit(sized(131_071));
  expect(stream.failure()).toBeUndefined();
  await expect(stream.emit(sized(26))).rejects.toThrow('wait already');
  letIn();
  await stream.settled();
});

test('a chunk that has no JSON form, one that is too large and one after the end fail the stream, also when nobody looks', async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const wrong: ChunkContent[][] = [[{ kind: 'data', data: circular }], [sized(262_145)], [{ kind: 'done' }, small(2)]];
  for (const contents of wrong) {
    const { stream, letIn } = openStream();
    letIn();
    for (const content of contents) void stream.emit(content);
    await stream.settled();
    expect(stream.failure()).toBeInstanceOf(Error);
    await expect(stream.emit(small(9))).rejects.toBe(stream.failure());
  }
});

test.each([
  ['all of them are taken', undefined, { status: 'completed' }],
  ['the last one is refused', 5, { status: 'failed', error: { code: 'connector.stream_undelivered' } }],
])(
  'an action whose connector waits for no emit ends only when its chunks have: %s',
  async (_what, refused, outcome) => {
    const { stream, taken, letIn } = openStream(refused);
    const handler: ConnectorCapability = {
      ...count,
      run: async (_input, { emit }) => {
        for (let n = 1; n <= 5; n += 1) void emit(small(n));
        return { count: 5 };
      },
    };
    let over = false;
    const execution = execute({
      connectorType: 'hasty',
      capability: count.record,
      handler,
      context: {
        action: { ...action, input: { n: 5 } } as unknown as Action,
        signal: new AbortController().signal,
        emit: stream.emit,
      } as unknown as CapabilityContext,
      effectCommitted: () => false,
      streamSettled: stream.settled,
      streamFailure: stream.failure,
      onUntyped: () => undefined,
    }).finally(() => {
      over = true;
    });
    await new Promise((done) => setImmediate(done));
    expect(over).toBe(false);
    letIn();
    expect((await execution).result).toMatchObject(outcome);
    expect(taken).toHaveLength(refused === undefined ? 5 : 4);
  },
);

import { expect, test } from 'vitest';
import { combined, type SendOutcome } from '#runtime/host/outbox/combine.js';
import type { Batch } from '#runtime/host/outbox/outbox.js';

const batch = (name: string, { channelId = 'webhooks', events = 1, text = '' } = {}): Batch => ({
  key: name,
  channelId,
  events: Array.from({ length: events }, (_, at) => ({
    id: `evt_${name}_${at}`,
    kind: 'note',
    occurred_at: '2026-01-01T00:00:00Z',
    data: { text },
  })),
  attempts: 0,
  refusals: 0,
});

/** A sender whose envelopes end when the test says so. */
function held(answer: (keys: string[]) => SendOutcome[]) {
  const sent: string[][] = [];
  const release: (() => void)[] = [];
  const send = combined(
    async (batches) => {
      const keys = batches.map(({ key }) => key);
      sent.push(keys);
      await new Promise<void>((done) => release.push(done));
      return answer(keys);
    },
    (status) => status === 400,
  );
  const free = (): void => {
    for (const done of release.splice(0)) done();
  };
  /** Lets envelopes end until nothing waits. */
  const all = async <T>(results: readonly Promise<T>[]): Promise<T[]> => {
    let over = false;
    const outcomes = Promise.all(results).finally(() => {
      over = true;
    });
    while (!over) {
      free();
      await new Promise((done) => setImmediate(done));
    }
    return outcomes;
  };
  return { send, sent, all };
}

const taken = (keys: string[]): SendOutcome[] => keys.map(() => ({}));

test('batches go at once while few are on their way; those that come meanwhile share an envelope', async () => {
  const { send, sent, all } = held(taken);
  const results = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => send(batch(name)));
  expect(sent).toEqual([['a'], ['b'], ['c'], ['d']]);
  expect(await all(results)).toEqual(Array(7).fill({}));
  expect(sent[4]).toEqual(['e', 'f', 'g']);
});

test('an envelope holds one channel, at most 100 events, each once, and a large batch goes alone', async () => {
  const { send, sent, all } = held(taken);
  const first = ['a', 'b', 'c', 'd'].map((name) => send(batch(name)));
  const more = [
    batch('e', { events: 60 }),
    batch('f', { channelId: 'other' }),
    batch('g', { events: 41 }),
    batch('h', { events: 40 }),
    { ...batch('e', { events: 2 }), key: 'same' },
    batch('large', { text: 'x'.repeat(1_100_000) }),
  ].map((each) => send(each));
  await all([...first, ...more]);
  expect(sent.slice(4)).toEqual([['e', 'h'], ['f'], ['g', 'same'], ['large']]);
});

test('a refusal of an envelope with several batches is asked again of each alone', async () => {
  const { send, sent, all } = held((keys) =>
    keys.map(() => (keys.includes('bad') ? { status: 400, reason: 'refused' } : {})),
  );
  const results = ['a', 'b', 'c', 'd', 'good', 'bad', 'fine'].map((name) => send(batch(name)));
  const outcomes = await all(results);
  expect(outcomes).toEqual([{}, {}, {}, {}, {}, { status: 400, reason: 'refused' }, {}]);
  expect(sent[4]).toEqual(['good', 'bad', 'fine']);
  expect(sent.slice(5)).toEqual([['good'], ['bad'], ['fine']]);
});

test('a failure that says nothing about events is reported to each batch of the envelope', async () => {
  const { send, all } = held((keys) => keys.map(() => ({ status: 503, reason: 'later' })));
  const results = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => send(batch(name)));
  expect(await all(results)).toEqual(Array(6).fill({ status: 503, reason: 'later' }));
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenBucket } from '#controller/kube/run/token-bucket.js';
import {
  createWorkQueue,
  type QueueHandler,
  type QueueHooks,
  type WorkQueue,
} from '#controller/kube/run/work-queue.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue whose handler runs until the test lets it end. */
function start(queue: WorkQueue, workers: number) {
  const stop = new AbortController();
  const began: string[] = [];
  const failures: [string, number, number][] = [];
  const open: { key: string; done: PromiseWithResolvers<{ requeueAfterMs?: number } | undefined> }[] = [];
  const handler: QueueHandler = (key) => {
    began.push(key);
    const done = Promise.withResolvers<{ requeueAfterMs?: number } | undefined>();
    open.push({ key, done });
    return done.promise;
  };
  const failed = (key: string, _: unknown, count: number, retryMs: number): void => {
    failures.push([key, count, retryMs]);
  };
  const ended = queue.run({ workers, handler, signal: stop.signal, failed });
  const settle = async (key: string, by: (done: (typeof open)[number]['done']) => void): Promise<void> => {
    const at = open.findIndex((each) => each.key === key);
    const [found] = open.splice(at, 1);
    if (at < 0 || !found) throw new Error(`${key} is not being worked on`);
    by(found.done);
    await flush();
  };
  return {
    began,
    failures,
    stop: () => stop.abort(),
    ended,
    end: (key: string, outcome?: { requeueAfterMs?: number }) => settle(key, (done) => done.resolve(outcome)),
    fail: (key: string) => settle(key, (done) => done.reject(new Error('no luck'))),
  };
}
const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test('keys are worked on in order, each once however often it was added', async () => {
  const queue = createWorkQueue();
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
  expect(queue.depth()).toBe(3);
  const run = start(queue, 1);
  await flush();
  await run.end('a');
  await run.end('b');
  await run.end('c');
  expect(run.began).toEqual(['a', 'b', 'c']);
  expect(queue.depth()).toBe(0);
});

test('a key added while it is worked on is worked on once more, and never by two workers', async () => {
  const queue = createWorkQueue();
  const run = start(queue, 3);
  queue.add('a');
  await flush();
  for (let i = 0; i < 5; i += 1) queue.add('a');
  await flush();
  expect(run.began).toEqual(['a']);
  await run.end('a');
  expect(run.began).toEqual(['a', 'a']);
  await run.end('a');
  expect(run.began).toEqual(['a', 'a']);
});

test('workers work at once, as many as there are', async () => {
  const queue = createWorkQueue();
  const run = start(queue, 2);
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await flush();
  expect(run.began).toEqual(['a', 'b']);
  await run.end('b');
  expect(run.began).toEqual(['a', 'b', 'c']);
});

test('failures of a key double its pause up to the limit; an end that is well forgets them', async () => {
  const queue = createWorkQueue({ rule: { maxMs: 30 } });
  const run = start(queue, 1);
  queue.add('a');
  await flush();
  for (const [count, retryMs] of [
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 30],
    [5, 30],
  ] as const) {
    await run.fail('a');
    expect(run.failures.at(-1)).toEqual(['a', count, retryMs]);
    const before = run.began.length;
    await vi.advanceTimersByTimeAsync(retryMs - 1);
    expect(run.began).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(run.began).toHaveLength(before + 1);
  }
  await run.end('a');
  queue.add('a');
  await flush();
  await run.fail('a');
  expect(run.failures.at(-1)).toEqual(['a', 1, 5]);
});

test('pauses end at the limit of a thousand seconds', async () => {
  const queue = createWorkQueue({ rule: { burst: 1000 } });
  const run = start(queue, 1);
  for (let i = 0; i < 30; i += 1) {
    queue.add('a');
    await flush();
    await run.fail('a');
  }
  const pauses = run.failures.map(([, , retryMs]) => retryMs);
  expect(pauses.slice(0, 4)).toEqual([5, 10, 20, 40]);
  expect(pauses.at(-1)).toBe(1_000_000);
});

test('many different keys that fail come back ten a second once the burst is used up', async () => {
  const queue = createWorkQueue({ rule: { burst: 100, perSecond: 10 } });
  const run = start(queue, 105);
  const keys = Array.from({ length: 105 }, (_, i) => `k${i}`);
  for (const key of keys) queue.add(key);
  await flush();
  for (const key of keys) await run.fail(key);
  const pauses = run.failures.map(([, , retryMs]) => retryMs);
  expect(pauses.slice(0, 100).every((ms) => ms === 5)).toBe(true);
  expect(pauses.slice(100).map(Math.round)).toEqual([100, 200, 300, 400, 500]);
});

test('a key comes back after the time that its handler returned, and immediately after none', async () => {
  const queue = createWorkQueue();
  const run = start(queue, 1);
  queue.add('a');
  await flush();
  await run.end('a', { requeueAfterMs: 300 });
  await vi.advanceTimersByTimeAsync(299);
  expect(run.began).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.began).toEqual(['a', 'a']);
  await run.end('a', { requeueAfterMs: 0 });
  expect(run.began).toEqual(['a', 'a', 'a']);
});

test('work that is done earlier leaves nothing due; its outcome says what is due next', async () => {
  const queue = createWorkQueue();
  const run = start(queue, 1);
  queue.add('a');
  await flush();
  await run.end('a', { requeueAfterMs: 1000 });
  queue.add('a');
  await flush();
  await run.end('a');
  await vi.advanceTimersByTimeAsync(5000);
  expect(run.began).toEqual(['a', 'a']);

  queue.add('a');
  await flush();
  await run.end('a', { requeueAfterMs: 1000 });
  queue.add('a');
  await flush();
  await run.end('a', { requeueAfterMs: 3000 });
  await vi.advanceTimersByTimeAsync(2999);
  expect(run.began).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.began).toHaveLength(5);
  await run.end('a');
  run.stop();
  await run.ended;
});

test('a stop waits for the work under way and drops the rest', async () => {
  const queue = createWorkQueue();
  const run = start(queue, 2);
  queue.add('d');
  await flush();
  await run.end('d', { requeueAfterMs: 10 });
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await flush();
  let over = false;
  const ended = run.ended.then(() => {
    over = true;
  });
  run.stop();
  await run.end('a');
  await vi.advanceTimersByTimeAsync(100);
  expect(over).toBe(false);
  await run.fail('b');
  await ended;
  expect(run.began).toEqual(['d', 'a', 'b']);
  expect(run.failures).toEqual([]);
  queue.add('e');
  expect(queue.depth()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('a run that begins stopped does nothing', async () => {
  const queue = createWorkQueue();
  queue.add('a');
  const handler = vi.fn();
  await queue.run({ workers: 2, handler, signal: AbortSignal.abort(), failed: () => undefined });
  expect(handler).not.toHaveBeenCalled();
});

test('depth, waits, retries and work are reported', async () => {
  const hooks = { depth: vi.fn(), retried: vi.fn(), started: vi.fn(), ended: vi.fn() } satisfies QueueHooks;
  const queue = createWorkQueue({ hooks });
  queue.add('a');
  await vi.advanceTimersByTimeAsync(40);
  const run = start(queue, 1);
  await vi.advanceTimersByTimeAsync(7);
  await run.fail('a');
  expect(hooks.depth.mock.calls).toEqual([[1], [0]]);
  expect(hooks.started.mock.calls).toEqual([[40]]);
  expect(hooks.ended.mock.calls).toEqual([[7, true]]);
  expect(hooks.retried).toHaveBeenCalledTimes(1);
});

test('a bucket fills to its size and no further', () => {
  let now = 0;
  const bucket = createTokenBucket({ perSecond: 2, burst: 3 }, () => now);
  const take = (): boolean[] => [1, 2, 3, 4].map(() => bucket.tryTake());
  expect(take()).toEqual([true, true, true, false]);
  now = 500;
  expect(take()).toEqual([true, false, false, false]);
  now = 1_000_000;
  expect(take()).toEqual([true, true, true, false]);
  expect(bucket.reserve()).toBe(500);
  expect(bucket.reserve()).toBe(1000);
});

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { openWaker, pollLoop, pollUntil, waited, waitUntil } from '#runtime/time/wait.js';

const never = 2 ** 31 - 1;

test('a wait says whether its time passed or it was ended', async () => {
  const ending = new AbortController();
  expect(await waited(1, ending.signal)).toBe(true);
  const waiting = waited(never, ending.signal);
  ending.abort();
  expect(await waiting).toBe(false);
  expect(await waited(1, ending.signal)).toBe(false);
  expect(await waited(1)).toBe(true);
});

test('a wait that is longer than a timer can be does not end at once', async () => {
  const ending = new AbortController();
  const waiting = waited(2 ** 31, ending.signal);
  const waker = openWaker();
  const pausing = waker.pause(2 ** 31, ending.signal).then(() => performance.now());
  await waited(20);
  const abortedAt = performance.now();
  ending.abort();
  expect(await waiting).toBe(false);
  expect(await pausing).toBeGreaterThanOrEqual(abortedAt);
});

test('a poll loop repeats its work one at a time, passes failures on and continues, until it is ended', async () => {
  const ending = new AbortController();
  const failures: unknown[] = [];
  let times = 0;
  let running = 0;
  let most = 0;
  const pauses: number[] = [];
  await pollLoop(
    async () => {
      running += 1;
      most = Math.max(most, running);
      times += 1;
      await waited(1, new AbortController().signal);
      running -= 1;
      if (times === 2) throw new Error('away');
      if (times === 4) ending.abort();
    },
    {
      signal: ending.signal,
      everyMs: () => {
        pauses.push(times);
        return 1;
      },
      failed: (error) => failures.push((error as Error).message),
    },
  );
  expect([times, most, failures]).toEqual([4, 1, ['away']]);
  expect(pauses).toEqual([1, 2, 3]);
});

test('a poll loop begins immediately unless it is to pause first, and none begins once it is ended', async () => {
  const ending = new AbortController();
  let times = 0;
  const work = async (): Promise<void> => {
    times += 1;
  };
  const paused = pollLoop(work, { signal: ending.signal, everyMs: () => never, pauseFirst: true });
  expect(times).toBe(0);
  const atOnce = pollLoop(work, { signal: ending.signal, everyMs: () => never });
  expect(times).toBe(1);
  ending.abort();
  await Promise.all([paused, atOnce, pollLoop(work, { signal: ending.signal, everyMs: () => 1 })]);
  expect(times).toBe(1);
});

test('without a place for failures a poll loop ends with the first one', async () => {
  const { signal } = new AbortController();
  const work = async (): Promise<void> => {
    throw new Error('broken');
  };
  await expect(pollLoop(work, { signal, everyMs: () => 1 })).rejects.toThrow('broken');
});

test('work that is repeated until it gives something ends with that, whatever failed before, or with nothing once it is ended', async () => {
  const ending = new AbortController();
  const failures: unknown[] = [];
  const answers = [undefined, new Error('away'), 0, 1];
  const work = async (): Promise<number | undefined> => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const rule = { signal: ending.signal, everyMs: () => 1, failed: (error: unknown) => failures.push(error) };
  expect(await pollUntil(work, rule)).toBe(0);
  expect(failures).toEqual([new Error('away')]);
  expect(answers).toEqual([1]);
  const waiting = pollUntil(async () => undefined, { ...rule, everyMs: () => never });
  ending.abort();
  expect(await waiting).toBeUndefined();
  expect(await pollUntil(work, rule)).toBeUndefined();
  expect(answers).toEqual([1]);
});

test('work is done once at least, and not again after the longest time', async () => {
  let times = 0;
  const work = async (): Promise<undefined> => {
    times += 1;
  };
  expect(await pollUntil(work, { longestMs: 0, everyMs: () => never })).toBeUndefined();
  expect(times).toBe(1);
  expect(await pollUntil(work, { longestMs: 20, everyMs: () => 1 })).toBeUndefined();
  expect(times).toBeGreaterThanOrEqual(2);
});

test('a wake ends the pause under way, and the next one when it comes during the work', async () => {
  const ending = new AbortController();
  const waker = openWaker();
  let times = 0;
  const reached = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    times += 1;
    if (times === 1) waker.wake();
    if (times === 2) reached.resolve();
    if (times === 3) ending.abort();
  };
  const polling = pollLoop(work, { signal: ending.signal, everyMs: () => never, pause: waker.pause });
  await reached.promise;
  waker.wake();
  await polling;
  expect(times).toBe(3);
});

test('a pause ends with its time or its signal too, and forgotten wakes do not shorten it', async () => {
  const ending = new AbortController();
  const waker = openWaker();
  waker.wake();
  waker.forget();
  let ended = false;
  const pausing = waker.pause(never, ending.signal).then(() => {
    ended = true;
  });
  await waker.pause(0, AbortSignal.abort());
  expect(ended).toBe(false);
  ending.abort();
  await pausing;
  await waker.pause(1, new AbortController().signal);
  await waker.pause(never, ending.signal);
  expect(ended).toBe(true);
});

test('a loop that was ended makes no further pause', async () => {
  const pauses: string[] = [];
  const ending = new AbortController();
  const rule = { signal: ending.signal, everyMs: () => pauses.push('asked') };
  await pollUntil(async () => ending.abort() as undefined, rule);
  await pollUntil(async () => true, { ...rule, pauseFirst: true });
  expect(pauses).toEqual([]);
});

test('waits leave no listener at their signal', async () => {
  const { signal } = new AbortController();
  await waited(1, signal);
  await waitUntil(() => true, { everyMs: 1, signal });
  await openWaker().pause(1, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a condition is waited for until it holds, its longest time has passed or its signal aborts', async () => {
  let checks = 0;
  expect(await waitUntil(() => ++checks === 3, { everyMs: 1 })).toBe(true);
  expect(checks).toBe(3);
  expect(await waitUntil(async () => ++checks === 4, { everyMs: never })).toBe(true);
  expect(await waitUntil(() => ++checks === 0, { everyMs: never, longestMs: 0 })).toBe(false);
  expect(checks).toBe(5);
  const ending = new AbortController();
  const waiting = waitUntil(() => false, { everyMs: never, signal: ending.signal });
  ending.abort();
  expect(await waiting).toBe(false);
  const failing = waitUntil(() => Promise.reject(new Error('broken')), { everyMs: 1 });
  await expect(failing).rejects.toThrow('broken');
});

test('a condition may be checked after a pause only', async () => {
  let checks = 0;
  const ending = new AbortController();
  const waiting = waitUntil(() => ++checks > 0, { everyMs: never, pauseFirst: true, signal: ending.signal });
  ending.abort();
  expect(await waiting).toBe(false);
  expect(checks).toBe(0);
});

import { expect, test } from 'vitest';
import { pollLoop, waited, withDeadline } from '#runtime/transport/process/wait.js';

const never = 2 ** 31 - 1;

test('a wait says whether its time passed or it was ended', async () => {
  const ending = new AbortController();
  expect(await waited(1, ending.signal)).toBe(true);
  const waiting = waited(never, ending.signal);
  ending.abort();
  expect(await waiting).toBe(false);
  expect(await waited(1, ending.signal)).toBe(false);
});

test('a deadline ends with its signal, for its reason, or after its time for its own', async () => {
  const outer = new AbortController();
  const early = withDeadline(outer.signal, never, () => 'late');
  outer.abort('ended');
  expect(early.signal.reason).toBe('ended');
  expect(withDeadline(outer.signal, never, () => 'late').signal.reason).toBe('ended');
  early.clear();
  const late = withDeadline(new AbortController().signal, 1, () => 'late');
  await new Promise((done) => late.signal.addEventListener('abort', done));
  expect(late.signal.reason).toBe('late');
});

test('a cleared deadline ends no more, whatever its signal does', () => {
  const outer = new AbortController();
  const deadline = withDeadline(outer.signal, never, () => 'late');
  deadline.clear();
  outer.abort('ended');
  expect(deadline.signal.aborted).toBe(false);
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
  expect(pauses).toEqual([1, 2, 3, 4]);
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

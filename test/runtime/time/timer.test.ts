import { expect, test } from 'vitest';
import { after, every, openTimer } from '#runtime/time/timer.js';

const never = 2 ** 31 - 1;

/** Timers that keep the process alive. */
const keeping = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;

test('a timer keeps its first time when it is started again, and takes the later one when it is restarted', async () => {
  const fired: string[] = [];
  const started = Promise.withResolvers<void>();
  const first = openTimer(() => {
    fired.push('first');
    started.resolve();
  });
  first.start(1);
  first.start(never);
  const moved = openTimer(() => fired.push('moved'));
  moved.restart(1);
  moved.restart(never);
  await started.promise;
  expect(fired).toEqual(['first']);
  expect([first.isSet(), moved.isSet()]).toEqual([false, true]);
  moved.stop();
  expect(moved.isSet()).toBe(false);
});

test('a timer that has fired can be set again, also while it fires, and a stopped one fires no more', async () => {
  const done = Promise.withResolvers<number>();
  let times = 0;
  const timer = openTimer(() => {
    times += 1;
    if (times === 3) done.resolve(times);
    else timer.restart(1);
  });
  timer.restart(1);
  timer.restart(1);
  expect(await done.promise).toBe(3);
  const stopped = openTimer(() => {
    times += 1;
  });
  stopped.start(1);
  stopped.stop();
  stopped.restart(1);
  stopped.stop();
  await new Promise<void>((end) => after(5, end));
  expect(times).toBe(3);
});

test('a time beyond the longest of a timer is the longest, not the shortest', async () => {
  const fired: string[] = [];
  const timer = openTimer(() => fired.push('timer'));
  timer.start(2 ** 32);
  const cancel = after(2 ** 32, () => fired.push('after'));
  await new Promise<void>((end) => after(5, end));
  timer.stop();
  cancel();
  expect(fired).toEqual([]);
});

test('what comes once can be cancelled, and what repeats is ended', async () => {
  const fired: string[] = [];
  after(1, () => fired.push('cancelled'))();
  const twice = Promise.withResolvers<void>();
  const stop = every(1, () => {
    fired.push('repeated');
    if (fired.length < 2) return;
    stop();
    twice.resolve();
  });
  await twice.promise;
  await new Promise<void>((end) => after(5, end));
  expect(fired).toEqual(['repeated', 'repeated']);
});

test('timers keep the process alive unless they are opened without', () => {
  const before = keeping();
  const fire = (): void => undefined;
  const open = (ref: boolean): (() => void)[] => {
    const timer = openTimer(fire, { ref });
    timer.start(never);
    timer.restart(never);
    timer.restart(never - 1);
    return [timer.stop, after(never, fire, { ref }), every(never, fire, { ref })];
  };
  const unheld = open(false);
  expect(keeping()).toBe(before);
  const held = open(true);
  expect(keeping()).toBe(before + 3);
  for (const stop of [...unheld, ...held]) stop();
  expect(keeping()).toBe(before);
});

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { joined, openDeadline, timed, withDeadline, within } from '#runtime/time/deadline.js';

const never = 2 ** 31 - 1;

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

test('a later time takes the place of an earlier one, and a cleared deadline fires neither', async () => {
  const fired: string[] = [];
  const deadline = openDeadline();
  deadline.after(1, () => fired.push('first'));
  deadline.after(2, () => fired.push('second'));
  const other = openDeadline();
  other.after(1, () => fired.push('cleared'));
  other.clear();
  other.after(1, () => fired.push('after the end'));
  const last = openDeadline();
  await new Promise<void>((done) => last.after(10, done));
  expect(fired).toEqual(['second']);
});

test('a deadline keeps the first reason it was ended for, and does not end once it is cleared', () => {
  const deadline = openDeadline();
  deadline.abort('cancelled');
  deadline.abort('late');
  expect(deadline.signal.reason).toBe('cancelled');
  const over = openDeadline();
  over.clear();
  over.abort('late');
  expect(over.signal.aborted).toBe(false);
});

test('work in time gives its own answer or failure, work out of time what is given or thrown instead', async () => {
  const open = new Promise<string>(() => undefined);
  expect(await within(never, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(within(never, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
  expect(await within(1, open, () => 'late')).toBe('late');
  const refused = within(1, open, () => {
    throw new Error('no answer in time');
  });
  await expect(refused).rejects.toThrow('no answer in time');
});

test('a cleared deadline leaves no listener at the signal that it followed', () => {
  const outer = new AbortController();
  const deadlines = [openDeadline(outer.signal), withDeadline(outer.signal, never)];
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(2);
  for (const deadline of deadlines) deadline.clear();
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(0);
});

test('a deadline without a reason of its own ends with a TimeoutError, as AbortSignal.timeout does', async () => {
  const deadline = withDeadline(undefined, 1);
  await new Promise((done) => deadline.signal.addEventListener('abort', done));
  const native = AbortSignal.timeout(1);
  await new Promise((done) => native.addEventListener('abort', done));
  const of = ({ reason }: AbortSignal): string[] => [reason.constructor.name, reason.name, reason.message];
  expect(of(deadline.signal)).toEqual(of(native));
});

test('timed work gives its answer or failure, sees its time end, and its signal stays silent after it', async () => {
  const signals: AbortSignal[] = [];
  const answer = await timed(never, async (signal) => {
    signals.push(signal);
    return 'done';
  });
  expect(answer).toBe('done');
  await expect(timed(never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const late = timed(1, (signal) => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await expect(late).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});

test('a joined signal ends with either of its two, for the reason of that one', () => {
  const [one, other, silent] = [new AbortController(), new AbortController(), new AbortController()];
  const signals = [joined(one.signal, silent.signal), joined(silent.signal, other.signal)];
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  one.abort('one');
  other.abort('other');
  expect(signals.map(({ reason }) => reason)).toEqual(['one', 'other']);
});

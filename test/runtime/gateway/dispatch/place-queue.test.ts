import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPlaceQueue, type PlaceQueue } from '#runtime/gateway/dispatch/place-queue.js';
import { NotAuthorized, ReplicaUnavailable } from '#runtime/protocol/errors.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
/** Lets everything run that waits for no time. */
const settled = () => vi.advanceTimersByTimeAsync(0);

/** So many places, and the names of who found one, in order. */
function placesOf(queue: PlaceQueue, free: number) {
  const found: string[] = [];
  let looks = 0;
  return {
    found,
    looks: () => looks,
    find: (name: string, signal = never) => {
      const finding = queue.find(
        'key',
        async () => {
          looks += 1;
          if (free === 0) throw new ReplicaUnavailable();
          free -= 1;
          found.push(name);
        },
        signal,
      );
      finding.catch(() => undefined);
      return finding;
    },
    /** A place is given back here. */
    give: () => {
      free += 1;
      queue.freed('key');
    },
    /** A place becomes free elsewhere. */
    add: () => {
      free += 1;
    },
  };
}

test('who waits longest gets the place that is given back, at once', async () => {
  const queue = openPlaceQueue();
  const places = placesOf(queue, 1);
  await places.find('first');
  for (const name of ['second', 'third', 'fourth']) {
    void places.find(name);
    await settled();
  }
  for (const expected of [['second'], ['second', 'third'], ['second', 'third', 'fourth']]) {
    places.give();
    await settled();
    expect(places.found.slice(1)).toEqual(expected);
  }
  expect(queue.isWaiting('key')).toBe(false);
});

test('who comes while others wait looks after them', async () => {
  const queue = openPlaceQueue();
  const places = placesOf(queue, 0);
  void places.find('first');
  await settled();
  expect(queue.isWaiting('key')).toBe(true);
  expect(queue.isWaiting('other')).toBe(false);
  const before = places.looks();
  places.add();
  void places.find('second');
  await settled();
  expect(places.looks()).toBe(before);
  await vi.advanceTimersByTimeAsync(50);
  expect(places.found).toEqual(['first']);
  queue.freed('other');
  await settled();
  expect(places.found).toEqual(['first']);
});

test('places that are given back at once wake as many, also while the first of them looks', async () => {
  const queue = openPlaceQueue();
  const places = placesOf(queue, 0);
  for (const name of ['first', 'second', 'third']) {
    void places.find(name);
    await settled();
  }
  places.give();
  places.give();
  places.give();
  await settled();
  expect(places.found).toEqual(['first', 'second', 'third']);
});

test('a place that becomes free elsewhere is found after 50 ms at most', async () => {
  const queue = openPlaceQueue();
  const places = placesOf(queue, 0);
  void places.find('first');
  await vi.advanceTimersByTimeAsync(500);
  places.add();
  await vi.advanceTimersByTimeAsync(50);
  expect(places.found).toEqual(['first']);
});

test('who finds no place in a second is refused, and who is woken again and again not before', async () => {
  const queue = openPlaceQueue();
  const places = placesOf(queue, 0);
  const outcome = places.find('first').then(
    () => 'found',
    (error) => error,
  );
  let ended = false;
  void outcome.then(() => {
    ended = true;
  });
  for (let ms = 0; ms < 990; ms += 10) {
    queue.freed('key');
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(60);
  expect(await outcome).toBeInstanceOf(ReplicaUnavailable);
  expect(queue.isWaiting('key')).toBe(false);
});

test('who is stopped waits no longer, and its turn is that of the next', async () => {
  const queue = openPlaceQueue();
  const places = placesOf(queue, 0);
  const stopping = new AbortController();
  const stopped = places.find('first', stopping.signal);
  await settled();
  void places.find('second');
  await settled();
  const reason = new Error('stopped');
  queue.freed('key');
  stopping.abort(reason);
  places.add();
  await expect(stopped).rejects.toBe(reason);
  await settled();
  expect(places.found).toEqual(['second']);
});

test('what is refused for another reason is not looked for again', async () => {
  const refused = openPlaceQueue().find('key', () => Promise.reject(new NotAuthorized('no')), never);
  await expect(refused).rejects.toBeInstanceOf(NotAuthorized);
});

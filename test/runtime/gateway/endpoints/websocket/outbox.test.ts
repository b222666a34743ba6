import { expect, test } from 'vitest';
import { ConnectionGone, openOutbox } from '#runtime/gateway/endpoints/websocket/outbox.js';
import { FollowerTooSlow } from '#runtime/protocol/errors.js';

/** An outbox whose frames leave only when the test says so. */
function held(maxWaitMs?: number) {
  const written: string[] = [];
  const leave: (() => void)[] = [];
  const outbox = openOutbox((text, left) => {
    written.push(text);
    leave.push(left);
  }, maxWaitMs);
  return { outbox, written, leave };
}

test('N-425 eight frames are buffered; a ninth is not even made before one has left, and order is kept', async () => {
  const { outbox, written, leave } = held();
  const names = Array.from({ length: 12 }, (_, index) => `frame ${index}`);
  let made = 0;
  const sent = names.map((name) =>
    outbox.send(() => {
      made += 1;
      return name;
    }),
  );
  await Promise.all(sent.slice(0, 8));
  expect([made, written.length]).toEqual([8, 8]);
  leave.shift()?.();
  await sent[8];
  expect([made, written]).toEqual([9, names.slice(0, 9)]);
  for (const later of [9, 10, 11]) {
    leave.shift()?.();
    await sent[later];
  }
  expect(written).toEqual(names);
});

test('D-16 a frame that finds no room in time fails, and one whose signal is aborted leaves the line', async () => {
  const { outbox } = held(20);
  for (let index = 0; index < 8; index += 1) await outbox.send(() => 'x');
  const controller = new AbortController();
  const aborted = outbox.send(() => 'x', controller.signal);
  controller.abort(new Error('replaced'));
  await expect(aborted).rejects.toThrow('replaced');
  await expect(outbox.send(() => 'x')).rejects.toBeInstanceOf(FollowerTooSlow);
});

test('N-262 part: a pong takes its place in the buffer and is refused without one', async () => {
  const { outbox } = held();
  for (let index = 0; index < 7; index += 1) await outbox.send(() => 'x');
  expect(outbox.offer(() => undefined)).toBe(true);
  expect(outbox.offer(() => undefined)).toBe(false);
});

test('a closed outbox refuses what waits and what comes', async () => {
  const { outbox } = held();
  for (let index = 0; index < 8; index += 1) await outbox.send(() => 'x');
  const waits = outbox.send(() => 'x');
  outbox.close();
  await expect(waits).rejects.toBeInstanceOf(ConnectionGone);
  await expect(outbox.send(() => 'x')).rejects.toBeInstanceOf(ConnectionGone);
  expect(outbox.offer(() => undefined)).toBe(false);
});

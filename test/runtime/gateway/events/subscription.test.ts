import { expect, test } from 'vitest';
import type { LogRow } from '#runtime/gateway/events/log/row.js';
import { type Delivery, openFeed } from '#runtime/gateway/events/log/subscription.js';

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
const row = (seq: number): LogRow =>
  ({ position: { xid: 1, seq }, kind: 'test', eventId: `evt_${seq}`, record: '{}' }) as LogRow;

/** A feed, how often it was closed, and how often it came into step. */
function feed() {
  let closed = 0;
  let inStep = 0;
  const opened = openFeed(
    { xid: 0, seq: 0 },
    {
      closed: () => {
        closed += 1;
      },
      inStep: () => {
        inStep += 1;
      },
    },
  );
  return { ...opened, closed: () => closed, inStep: () => inStep };
}
/** What a delivery holds, in short. */
const short = ({ rows, ended }: Delivery): string =>
  [...rows.map(({ position }) => position.seq), ...(ended ? ['end'] : [])].join();

test('what arrives is handed over as it arrives, until no more is wanted', async () => {
  const { push, subscription } = feed();
  const seen: string[] = [];
  push([row(1), row(2)]);
  const ended = subscription.each((delivery) => {
    seen.push(short(delivery));
    return !seen.includes('4');
  });
  push([row(3)]);
  push([row(4)]);
  expect(seen).toEqual(['1,2', '3', '4']);
  await ended;
});

test('followers that take are given the very rows that came, less those before their place, and none once they want no more', () => {
  const rows = [row(1), row(2)];
  const seen: (readonly LogRow[])[] = [];
  const takes = ({ rows: given }: Delivery): boolean => seen.push(given) < 4;
  for (const after of [0, 0, 1, 2]) {
    const { push, subscription } = openFeed({ xid: 1, seq: after }, { closed: () => undefined });
    void subscription.each(takes);
    push(rows);
    push([row(3)]);
  }
  const [first, , second, , third, ...more] = seen;
  expect(first).toBe(rows);
  expect(second).toBe(rows);
  expect(third).toEqual([rows[1]]);
  expect(more).toEqual([[row(3)]]);
});

test('while a delivery is under way the next is held back, and the end of the action comes after it', async () => {
  const { push, end, subscription } = feed();
  const seen: string[] = [];
  const taken: PromiseWithResolvers<boolean>[] = [];
  const ended = subscription.each((delivery) => {
    seen.push(short(delivery));
    const taking = Promise.withResolvers<boolean>();
    taken.push(taking);
    return taking.promise;
  });
  push([row(1)]);
  push([row(2)]);
  push([row(3)]);
  expect(seen).toEqual(['1']);
  taken[0]?.resolve(true);
  await settled();
  expect(seen).toEqual(['1', '2,3']);
  end();
  taken[1]?.resolve(true);
  await settled();
  expect(seen).toEqual(['1', '2,3', 'end']);
  taken[2]?.resolve(true);
  await ended;
});

test('a follower is in step when it has taken all that came, and not while it is busy, has enough or has ended', async () => {
  const { push, subscription, inStep } = feed();
  const answers = [true, Promise.resolve(true), Promise.resolve(true), true, false];
  const ended = subscription.each(() => answers.shift() as boolean | Promise<boolean>);
  const after = (seq: number): number => {
    push([row(seq)]);
    return inStep();
  };
  expect(inStep()).toBe(0);
  expect([after(1), after(2), after(3)]).toEqual([1, 1, 1]);
  await Promise.resolve();
  expect([answers.length, inStep()]).toEqual([2, 1]);
  await settled();
  expect([inStep(), after(4), after(5)]).toEqual([2, 3, 3]);
  await ended;
  subscription.close();
  expect(after(6)).toBe(3);
});

test.each([
  ['rejects', () => Promise.reject(new Error('the peer is gone'))],
  [
    'throws',
    () => {
      throw new Error('the peer is gone');
    },
  ],
])('a follower that %s ends alone, with that reason', async (_, take) => {
  const { push, subscription, closed } = feed();
  const ended = subscription.each(take);
  push([row(1)]);
  await expect(ended).rejects.toThrow('the peer is gone');
  expect(closed()).toBe(1);
  push([row(2)]);
  expect(closed()).toBe(1);
});

test('who is closed before it takes anything gets the reason', async () => {
  const { subscription, closed } = feed();
  subscription.close(new Error('the gateway stops'));
  await expect(subscription.each(() => true)).rejects.toThrow('the gateway stops');
  expect(closed()).toBe(1);
});

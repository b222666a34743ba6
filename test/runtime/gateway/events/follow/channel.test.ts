import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { channelOf } from '#runtime/gateway/events/follow/channel.js';
import type { Stream } from '#runtime/gateway/events/follow/stream.js';
import { openFeeds } from '#runtime/gateway/events/log/feeds.js';
import type { LogRow } from '#runtime/gateway/events/log/row.js';
import { type Delivery, openFeed } from '#runtime/gateway/events/log/subscription.js';
import type { Selection } from '#runtime/gateway/events/selection.js';
import { row } from './row.ts';

const ROWS = [
  row(1),
  row(2, { kind: 'c.d' }),
  row(3, { principalId: 'agent:other' }),
  row(4, { tenantId: 'tenant-b' }),
  row(5, { actionId: 'act_1', kind: 'e.f' }),
];
interface Asked extends Partial<Selection> {
  readonly binding?: string;
}
const streamOf = ({ binding = 'one', ...over }: Asked): Stream =>
  ({
    selection: {
      route: 'events',
      access: { tenant: 'tenant-a', principals: 'any' },
      events: true,
      chunks: false,
      ...over,
    },
    cursors: { binding },
  }) as unknown as Stream;
interface Member {
  readonly taken: (readonly LogRow[])[];
  /** What it answers to the next delivery. */
  answer(): boolean | Promise<boolean>;
  /** How often rows were pushed to its feed, since it was not in step. */
  pushed: number;
  readonly ended: Promise<void>;
  leave(): void;
}
/** Feeds of streams, with what each was handed over. */
function follow<T extends Asked[]>(...asked: T) {
  const feeds = openFeeds();
  const members = asked.map((each) => {
    const member = { taken: [] as (readonly LogRow[])[], pushed: 0, answer: (): boolean | Promise<boolean> => true };
    const feed = openFeed(
      { xid: 0, seq: 0 },
      { closed: () => membership.leave(), inStep: (take) => membership.inStep(take) },
    );
    const push = (rows: readonly LogRow[]): void => {
      member.pushed += 1;
      feed.push(rows);
    };
    const membership = feeds.add({ ...feed, push }, channelOf(streamOf(each)));
    const ended = feed.subscription.each(({ rows }: Delivery) => {
      member.taken.push(rows);
      return member.answer();
    });
    ended.catch(() => undefined);
    return Object.assign(member, { ended, leave: () => feed.subscription.close() });
  }) as { [K in keyof T]: Member };
  return { feeds, members };
}
const short = (taken: readonly (readonly LogRow[])[]): string =>
  taken.map((rows) => rows.map(({ position }) => position.seq).join()).join(' ');

test('streams that show the same and are bound to the same take the very same rows, selected for them', async () => {
  const asked: Asked[] = [
    {},
    { kinds: ['c.d'] },
    { access: { tenant: 'tenant-a', principals: ['agent:other'] } },
    { access: { tenant: 'tenant-b', principals: 'any' } },
    { access: { tenant: 'any', principals: 'any' }, kinds: ['a.b'] },
    { events: false },
    { binding: 'other' },
  ];
  const { feeds, members } = follow(...asked, ...asked);
  // Of the second ones all are in step, where something was shown to them.
  for (const [nth, rows] of [ROWS, ROWS.map((each) => ({ ...each }))].entries()) {
    await feeds.push(rows);
    const [ofFirst, ofSecond] = [members.slice(0, asked.length), members.slice(asked.length)];
    const shown = ofFirst.map(({ taken }) => short(taken.slice(nth)));
    expect(shown).toEqual(['1,2,3,5', '2', '3', '4', '1,3,4', '', '1,2,3,5']);
    for (const [index, { taken }] of ofFirst.entries()) expect(ofSecond[index]?.taken[nth]).toBe(taken[nth]);
    expect(new Set(ofFirst.flatMap(({ taken }) => taken.slice(nth))).size).toBe(6);
  }
});

test('a stream is not woken for rows that its channel does not show, and not at all once it has left', async () => {
  const { feeds, members } = follow({ kinds: ['c.d'] }, { kinds: ['c.d'] }, {});
  const taken = (): string[] => members.map((each) => short(each.taken));
  await feeds.push([row(1)]);
  expect(taken()).toEqual(['', '', '1']);
  const [kind, same, all] = members;
  kind.leave();
  kind.leave();
  expect(feeds.count()).toBe(2);
  await feeds.push([row(2, { kind: 'c.d' })]);
  await feeds.push([row(3, { kind: 'c.d' })]);
  expect(taken()).toEqual(['', '2 3', '1 2 3']);
  same.leave();
  all.leave();
  expect(feeds.count()).toBe(0);
});

test('a follower in step that is busy gets what came meanwhile in one piece, and is in step again', async () => {
  const { feeds, members } = follow({}, {});
  const [slow, other] = members;
  await feeds.push([row(1)]);
  const written = Promise.withResolvers<boolean>();
  slow.answer = () => written.promise;
  for (const seq of [2, 3, 4]) await feeds.push([row(seq)]);
  expect([short(slow.taken), short(other.taken)]).toEqual(['1 2', '1 2 3 4']);
  slow.answer = () => true;
  written.resolve(true);
  await settled();
  await feeds.push([row(5)]);
  expect([short(slow.taken), short(other.taken)]).toEqual(['1 2 3,4 5', '1 2 3 4 5']);
  expect(slow.taken.at(-1)).toBe(other.taken.at(-1));
});

test('a follower in step that leaves while it takes is not among the followers again', async () => {
  const { feeds, members } = follow({}, {});
  const [leaver, other] = members;
  await feeds.push([row(1)]);
  leaver.answer = () => {
    leaver.leave();
    return Promise.reject(new Error('the peer is gone'));
  };
  for (const seq of [2, 3]) await feeds.push([row(seq)]);
  await settled();
  expect(feeds.count()).toBe(1);
  expect([short(leaver.taken), short(other.taken)]).toEqual(['1 2', '1 2 3']);
  expect([leaver.pushed, other.pushed]).toEqual([1, 1]);
});

test('a follower in step that throws, rejects or wants no more ends alone', async () => {
  const { feeds, members } = follow({}, {}, {}, {});
  const [throws, rejects, enough, other] = members;
  await feeds.push([row(1)]);
  throws.answer = () => {
    throw new Error('the peer is gone');
  };
  rejects.answer = () => Promise.reject(new Error('the peer does not read'));
  enough.answer = () => false;
  await feeds.push([row(2)]);
  await expect(throws.ended).rejects.toThrow('the peer is gone');
  await expect(rejects.ended).rejects.toThrow('the peer does not read');
  await enough.ended;
  enough.leave();
  expect(feeds.count()).toBe(1);
  await feeds.push([row(3)]);
  expect(members.map(({ taken }) => short(taken))).toEqual(['1 2', '1 2', '1 2', '1 2 3']);
  feeds.fail(new Error('the gateway stops'));
  await expect(other.ended).rejects.toThrow('the gateway stops');
  expect(feeds.count()).toBe(0);
});

test('who leaves while thousands are woken is not handed over to any more', async () => {
  const { feeds, members } = follow(...Array.from({ length: 600 }, () => ({})));
  await feeds.push([row(1)]);
  const [first, last] = [members[0], members.at(-1)] as [Member, Member];
  const pushed = feeds.push([row(2)]);
  last.leave();
  await pushed;
  expect([short(first.taken), short(last.taken)]).toEqual(['1 2', '1']);
});

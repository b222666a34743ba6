import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ActionRef, actionKey } from '../../../protocol/content/action-ref.js';
import type { Channel } from './channel.js';
import type { LogRow } from './row.js';
import type { Delivery, Feed, TakeDelivery } from './subscription.js';

/** Followers woken and channels filtered in one turn of the event loop; other work comes between. */
const WOKEN_TOGETHER = 250;

/** The feeds of all followers of a process: those of the whole log by their channels, and those of one action. */
export interface Feeds {
  /** Adds a feed to those who follow the same. */
  add(feed: Feed, followed: ActionRef | Channel): Membership;
  count(): number;
  /** The actions that are followed. */
  actions(): ActionRef[];
  /** Gives rows to everybody who follows them: the followers of a channel get the very same array, which no other channel gets. */
  push(rows: readonly LogRow[]): Promise<void>;
  /** Ends the feeds of an action. */
  end(action: ActionRef): void;
  /** Ends all feeds with a reason. */
  fail(reason: unknown): void;
}

/** What a feed has among those who follow the same. */
export interface Membership {
  /** Whether they are shown a row. */
  selects(row: LogRow): boolean;
  /** What comes may be given to `take` from here on, until it answers that it is busy (see FeedEvents). */
  inStep(take: TakeDelivery): void;
  leave(): void;
}

/** A feed among those who follow the same; `take` is there while it is in step. */
interface Member {
  readonly feed: Feed;
  take: TakeDelivery | undefined;
}

/** Those who follow the same. */
interface Group<T> {
  readonly followed: T;
  readonly members: Set<Member>;
}

export function openFeeds(): Feeds {
  const ofLog = new Map<string, Group<Channel>>();
  const ofAction = new Map<string, Group<ActionRef>>();
  let count = 0;
  const enter = <T>(feed: Feed, groups: Map<string, Group<T>>, key: string, followed: T) => {
    const group = groups.get(key) ?? { followed, members: new Set() };
    const { members } = group;
    const member: Member = { feed, take: undefined };
    groups.set(key, group);
    members.add(member);
    count += 1;
    return {
      group,
      inStep: (take: TakeDelivery): void => {
        member.take = take;
      },
      leave: (): void => {
        member.take = undefined;
        if (!members.delete(member)) return;
        count -= 1;
        if (members.size === 0) groups.delete(key);
      },
    };
  };
  return {
    add: (feed, followed) => {
      if ('selects' in followed) {
        const { group, ...member } = enter(feed, ofLog, followed.name, followed);
        return { ...member, selects: group.followed.selects };
      }
      const key = actionKey(followed);
      const { leave } = enter(feed, ofAction, key, followed);
      return { selects: (row) => keyOfRow(row) === key, inStep: () => undefined, leave };
    },
    count: () => count,
    actions: () => [...ofAction.values()].map(({ followed }) => followed),
    push: async (rows) => {
      // Who joins from here on has the rows from what is kept.
      const joined = [...ofLog.values()].map(({ followed, members }) => ({ followed, members: [...members] }));
      if (ofAction.size > 0)
        for (const [key, part] of byAction(rows))
          for (const { feed } of ofAction.get(key)?.members ?? []) feed.push(part);
      let left = WOKEN_TOGETHER;
      for (const { followed, members } of joined) {
        const delivery = { rows: rows.filter(followed.selects), ended: false };
        left -= 1;
        if (left === 0) left = await pause();
        if (delivery.rows.length === 0) continue;
        for (let from = 0; from < members.length; ) {
          const together = members.slice(from, from + left);
          giveAll(together, delivery);
          from += together.length;
          left -= together.length;
          if (left === 0) left = await pause();
        }
      }
    },
    end: (action) => {
      for (const { feed } of ofAction.get(actionKey(action))?.members ?? []) feed.end();
    },
    fail: (reason) => {
      for (const { members } of [...ofLog.values(), ...ofAction.values()])
        for (const { feed } of [...members]) feed.fail(reason);
    },
  };
}

/** Lets other work of the event loop come; returns how many may be woken after it. */
async function pause(): Promise<number> {
  await nextTurn();
  return WOKEN_TOGETHER;
}

/** Hands over to followers without a pause, since such a loop is compiled as a whole. */
function giveAll(members: readonly Member[], delivery: Delivery): void {
  for (const member of members) {
    const { feed, take } = member;
    if (take) give(member, take, delivery);
    else feed.push(delivery.rows);
  }
}

/** Hands over to a follower in step; one that is busy or has enough falls out of step. */
function give(member: Member, take: TakeDelivery, delivery: Delivery): void {
  const { feed } = member;
  try {
    const more = take(delivery);
    if (more === true) return;
    member.take = undefined;
    feed.answered(more);
  } catch (error) {
    feed.fail(error);
  }
}

function byAction(rows: readonly LogRow[]): Map<string, LogRow[]> {
  const parts = new Map<string, LogRow[]>();
  for (const row of rows) {
    const key = keyOfRow(row);
    if (key === undefined) continue;
    const part = parts.get(key);
    if (part) part.push(row);
    else parts.set(key, [row]);
  }
  return parts;
}

/** Which action a row belongs to, if any. */
function keyOfRow({ actionId, tenantId }: LogRow): string | undefined {
  return actionId === null ? undefined : actionKey({ actionId, tenantId });
}

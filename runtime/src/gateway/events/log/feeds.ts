import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ActionRef, actionKey } from '../../../protocol/content/action-ref.js';
import type { LogRow } from './row.js';
import type { Feed } from './subscription.js';

/** Followers that are woken in one turn of the event loop; other work comes between. */
const WOKEN_TOGETHER = 250;

/** The feeds of all followers of a process: those of everything, and those of one action. */
export interface Feeds {
  /** Adds a feed of one action, or of everything. Gives what removes it. */
  add(feed: Feed, action: ActionRef | undefined): () => void;
  count(): number;
  /** The actions that are followed. */
  actions(): ActionRef[];
  /** Gives rows to everybody who follows them. */
  push(rows: readonly LogRow[]): Promise<void>;
  /** Ends the feeds of an action. */
  end(action: ActionRef): void;
  /** Ends all feeds with a reason. */
  fail(reason: unknown): void;
}

export function openFeeds(): Feeds {
  const ofAll = new Set<Feed>();
  const ofAction = new Map<string, Followed>();
  let count = 0;
  return {
    add: (feed, action) => {
      const key = action && actionKey(action);
      const followed = action && followedOf(ofAction, action);
      const group = followed?.feeds ?? ofAll;
      group.add(feed);
      count += 1;
      return () => {
        group.delete(feed);
        if (key !== undefined && group.size === 0 && ofAction.get(key) === followed) ofAction.delete(key);
        count -= 1;
      };
    },
    count: () => count,
    actions: () => [...ofAction.values()].map(({ action }) => action),
    push: async (rows) => {
      // Who joins from here on has the rows from what is kept.
      const joined = [...ofAll];
      if (ofAction.size > 0)
        for (const [key, part] of byAction(rows)) for (const feed of ofAction.get(key)?.feeds ?? []) feed.push(part);
      for (let start = 0; start < joined.length; start += WOKEN_TOGETHER) {
        if (start > 0) await nextTurn();
        for (const feed of joined.slice(start, start + WOKEN_TOGETHER)) feed.push(rows);
      }
    },
    end: (action) => {
      for (const feed of ofAction.get(actionKey(action))?.feeds ?? []) feed.end();
    },
    fail: (reason) => {
      for (const feed of [...ofAll, ...[...ofAction.values()].flatMap((followed) => [...followed.feeds])])
        feed.fail(reason);
    },
  };
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
export function keyOfRow({ actionId, tenantId }: LogRow): string | undefined {
  return actionId === null ? undefined : actionKey({ actionId, tenantId });
}

/** An action and those who follow it. */
interface Followed {
  readonly action: ActionRef;
  readonly feeds: Set<Feed>;
}

function followedOf(groups: Map<string, Followed>, action: ActionRef): Followed {
  const key = actionKey(action);
  const known = groups.get(key);
  if (known) return known;
  const made: Followed = { action, feeds: new Set() };
  groups.set(key, made);
  return made;
}

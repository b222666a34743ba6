import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from '../../../postgres/pool.js';
import { type ActionRef, actionKey } from '../../../protocol/content/action-ref.js';
import { FOLLOW_POLL_MS } from '../../../protocol/limits.js';
import type { Logger } from '../../../transport/process/logger.js';
import { readEnded, readLog } from './log-reader.js';
import { openNotifications } from './notifications.js';
import type { Position } from './position.js';
import { type RecentRows, recentRows } from './recent.js';
import type { LogRow } from './row.js';
import { StreamInterrupted } from './stream-interrupted.js';
import { type Feed, openFeed, type Subscription } from './subscription.js';

/** Events of this time after a reading come with the next one, in milliseconds. */
const MIN_GAP_MS = 20;
/**
 * After a notification or rows the tail looks again soon, for what was not settled or not notified, with pauses that
 * double.
 */
const FIRST_PAUSE_MS = 25;
/** Pauses after a failed reading, doubling. */
const FIRST_FAILURE_MS = 100;
const MAX_FAILURE_MS = 2000;
/** How often followed actions are checked for an end that no event told of. */
const ENDED_CHECK_MS = 5000;

/** Followers that are woken in one turn of the event loop; other work comes between. */
const WOKEN_TOGETHER = 250;

/** The one reader of the event log in a process, which feeds all followers. It reads only while there are any. */
export interface Tail {
  /**
   * Joins a follower that has everything up to `after`; of one action, or of everything. Undefined when it is too far
   * behind for what is kept here: it then reads on by pages and tries again. Throws the reason of `close` after it.
   */
  join(after: Position, action: ActionRef | undefined): Subscription | undefined;
  followers(): number;
  /** Ends every subscription, by default as a gateway does that stops, and stops reading. */
  close(reason?: unknown): Promise<void>;
}

/** What the tail needs. */
export interface TailDeps {
  readonly pool: Pool;
  readonly log: Logger;
}

/**
 * Opens the tail. It looks every 500 ms; a notification shortens that and is never relied on. While the database is
 * away followers stay joined, and nothing is lost: the tail continues from the place where it was.
 */
export async function openTail({ pool, log }: TailDeps): Promise<Tail> {
  const ofAll = new Set<Feed>();
  const ofAction = new Map<string, Followed>();
  let count = 0;
  let place: Position | undefined;
  let recent: RecentRows | undefined;
  let running: Promise<void> | undefined;
  let ending: { reason: unknown } | undefined;
  let woken = false;
  let wake = nothing;
  let interrupt = nothing;

  let unfollow = nothing;

  const notifications = await openNotifications({
    pool,
    log,
    onEvents: () => {
      woken = true;
      wake();
    },
  });

  const pause = (ms: number, untilWoken: boolean): Promise<void> =>
    new Promise((done) => {
      const finish = (): void => {
        clearTimeout(timer);
        wake = nothing;
        interrupt = nothing;
        done();
      };
      const timer = setTimeout(finish, ms);
      interrupt = finish;
      if (untilWoken) wake = finish;
      if (untilWoken && woken) finish();
    });

  const deliver = async (rows: readonly LogRow[]): Promise<void> => {
    if (rows.length === 0) return;
    recent?.add(rows);
    // Who joins from here on has the rows from what is kept.
    const joined = [...ofAll];
    if (ofAction.size > 0)
      for (const [key, part] of byAction(rows)) for (const feed of ofAction.get(key)?.feeds ?? []) feed.push(part);
    for (let start = 0; start < joined.length; start += WOKEN_TOGETHER) {
      if (start > 0) await nextTurn();
      for (const feed of joined.slice(start, start + WOKEN_TOGETHER)) feed.push(rows);
    }
  };

  const checkEnded = async (at: Position): Promise<void> => {
    if (ofAction.size === 0) return;
    const followed = [...ofAction.values()].map(({ action }) => action);
    for (const action of await readEnded(pool, followed, at))
      for (const feed of ofAction.get(actionKey(action))?.feeds ?? []) feed.end();
  };

  const read = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    let failureMs = FIRST_FAILURE_MS;
    let checkedAt = performance.now();
    while (count > 0 && !ending) {
      const at = place as Position;
      woken = false;
      try {
        const { rows, more } = await readLog(pool, at);
        place = rows.at(-1)?.position ?? at;
        await deliver(rows);
        if (failureMs > FIRST_FAILURE_MS) log.info({}, 'the event log is read again');
        failureMs = FIRST_FAILURE_MS;
        if (more) continue;
        if (performance.now() - checkedAt >= ENDED_CHECK_MS) {
          checkedAt = performance.now();
          await checkEnded(place);
        }
        pauseMs = rows.length > 0 || woken ? FIRST_PAUSE_MS : Math.min(FOLLOW_POLL_MS, pauseMs * 2);
      } catch (error) {
        if (failureMs === FIRST_FAILURE_MS) log.warn({ err: error }, 'the event log cannot be read; trying again');
        await pause(failureMs, false);
        failureMs = Math.min(MAX_FAILURE_MS, failureMs * 2);
        continue;
      }
      await pause(MIN_GAP_MS, false);
      await pause(pauseMs - MIN_GAP_MS, true);
      if (woken) pauseMs = FIRST_PAUSE_MS;
    }
    running = undefined;
  };

  const start = (after: Position): void => {
    place = after;
    recent = recentRows(after);
    running = read();
  };

  return {
    join: (after, action) => {
      if (ending) throw ending.reason;
      const missed = running ? recent?.after(after) : [];
      if (!missed) return undefined;
      const key = action && actionKey(action);
      const followed = action && followedOf(ofAction, action);
      const group = followed?.feeds ?? ofAll;
      const feed = openFeed(after, () => {
        group.delete(feed);
        if (key !== undefined && group.size === 0 && ofAction.get(key) === followed) ofAction.delete(key);
        count -= 1;
        if (count > 0) return;
        unfollow();
        interrupt();
      });
      group.add(feed);
      count += 1;
      if (count === 1) unfollow = notifications.follow();
      if (!running) start(after);
      feed.push(key === undefined ? missed : missed.filter((row) => keyOfRow(row) === key));
      return feed.subscription;
    },
    followers: () => count,
    close: async (reason = new StreamInterrupted()) => {
      ending = { reason };
      for (const feed of [...ofAll, ...[...ofAction.values()].flatMap(({ feeds }) => [...feeds])]) feed.fail(reason);
      interrupt();
      await notifications.close();
      await running;
    },
  };
}

function nothing(): void {}

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

function keyOfRow({ actionId, tenantId }: LogRow): string | undefined {
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

import type { Pool } from '../../../postgres/pool.js';
import type { ActionRef } from '../../../protocol/content/action-ref.js';
import { AipError } from '../../../protocol/errors.js';
import { FOLLOW_POLL_MS } from '../../../protocol/limits.js';
import { openWaker, waited } from '../../../time/wait.js';
import type { Logger } from '../../../transport/process/logger.js';
import type { Channel } from './channel.js';
import { openFeeds } from './feeds.js';
import { readEnded, readLog } from './log-reader.js';
import { openNotifications } from './notifications.js';
import type { Position } from './position.js';
import { type RecentRows, recentRows } from './recent.js';
import { openFeed, type Subscription } from './subscription.js';

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
/** How often followed actions are checked for an end that no event reported. */
const ENDED_CHECK_MS = 5000;

/** The one reader of the event log in a process, which feeds all followers. It reads only while there are any. */
export interface Tail {
  /**
   * Joins a follower that has everything up to `after`; of one action, or of a channel of the whole log. Undefined when it
   * is too far behind for what is kept here: it then reads on by pages and tries again. Throws the reason of `close` after it.
   */
  join(after: Position, followed: ActionRef | Channel): Subscription | undefined;
  followers(): number;
  /** Ends every subscription, by default as a gateway does that stops, and stops reading. */
  close(reason?: unknown): Promise<void>;
}

/** What the tail needs. */
export interface TailDeps {
  readonly pool: Pool;
  readonly log: Logger;
}

/** Where the reading is. */
interface Reading {
  /** Everything up to here was delivered. */
  place: Position;
  /** Rows that were delivered lately, for who joins behind the place. */
  readonly recent: RecentRows;
  /** Settles when nobody follows any more, or the tail is closed. */
  ended: Promise<void>;
}

/** What a tail comes to while it is open. */
interface TailState {
  /** Undefined while nobody follows. */
  reading: Reading | undefined;
  /** Ends the report that this process follows. */
  unfollow: () => void;
}

/**
 * Opens the tail. It looks every 500 ms; a notification shortens that and is never relied on. While the database is
 * away followers stay joined, and nothing is lost: the tail continues from the place where it was.
 */
export async function openTail({ pool, log }: TailDeps): Promise<Tail> {
  const feeds = openFeeds();
  const waker = openWaker();
  const closing = new AbortController();
  const { signal } = closing;
  const state: TailState = { reading: undefined, unfollow: () => undefined };
  const notifications = await openNotifications({ pool, log, onEvents: waker.wake });

  const checkEnded = async (at: Position): Promise<void> => {
    const followed = feeds.actions();
    if (followed.length === 0) return;
    for (const action of await readEnded(pool, followed, at)) feeds.end(action);
  };

  // A loop of its own: it ends when nobody follows, and continues where somebody joined before it noticed.
  const read = async (reading: Reading): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    let failureMs = FIRST_FAILURE_MS;
    let checkedAt = performance.now();
    while (feeds.count() > 0 && !signal.aborted) {
      waker.forget();
      try {
        const { rows, more } = await readLog(pool, reading.place);
        reading.place = rows.at(-1)?.position ?? reading.place;
        if (rows.length > 0) {
          reading.recent.add(rows);
          await feeds.push(rows);
        }
        if (failureMs > FIRST_FAILURE_MS) log.info({}, 'the event log is read again');
        failureMs = FIRST_FAILURE_MS;
        if (more) continue;
        if (performance.now() - checkedAt >= ENDED_CHECK_MS) {
          checkedAt = performance.now();
          await checkEnded(reading.place);
        }
        pauseMs = rows.length > 0 || waker.woken() ? FIRST_PAUSE_MS : Math.min(FOLLOW_POLL_MS, pauseMs * 2);
      } catch (error) {
        if (failureMs === FIRST_FAILURE_MS) log.warn({ err: error }, 'the event log cannot be read; trying again');
        await waited(failureMs, signal);
        failureMs = Math.min(MAX_FAILURE_MS, failureMs * 2);
        continue;
      }
      await waited(MIN_GAP_MS, signal);
      if (await waker.pause(pauseMs - MIN_GAP_MS, signal)) pauseMs = FIRST_PAUSE_MS;
    }
    state.reading = undefined;
  };

  /** Reads from a place on; the reading is known before the first of it is there. */
  const start = (after: Position): void => {
    const reading: Reading = { place: after, recent: recentRows(after), ended: Promise.resolve() };
    state.reading = reading;
    reading.ended = read(reading);
  };

  return {
    join: (after, followed) => {
      signal.throwIfAborted();
      const missed = state.reading ? state.reading.recent.after(after) : [];
      if (!missed) return undefined;
      const feed = openFeed(after, {
        closed: () => {
          membership.leave();
          if (feeds.count() > 0) return;
          state.unfollow();
          waker.wake();
        },
        inStep: (take) => membership.inStep(take),
      });
      const membership = feeds.add(feed, followed);
      if (feeds.count() === 1) state.unfollow = notifications.follow();
      if (!state.reading) start(after);
      feed.push(missed.filter(membership.selects));
      return feed.subscription;
    },
    followers: feeds.count,
    close: async (reason = new AipError('stream.interrupted')) => {
      feeds.fail(reason);
      closing.abort(reason);
      await notifications.close();
      await state.reading?.ended;
    },
  };
}

import { FollowerTooSlow } from '../../../protocol/errors.js';
import { comparePositions, type Position } from './position.js';
import type { LogRow } from './row.js';

/** What one follower may leave unread before it is dropped: rows, and characters of their records. */
export const MAX_UNREAD_ROWS = 5000;
export const MAX_UNREAD_CHARACTERS = 8 * 1024 * 1024;

/** What a subscription hands over at once. */
export interface Delivery {
  readonly rows: readonly LogRow[];
  /** The action is terminal and no event of it is still to come. */
  readonly ended: boolean;
}

/** One follower's bounded share of the tail. */
export interface Subscription {
  /**
   * What arrived since the last call, or the next that arrives. Throws FollowerTooSlow once the follower left too much
   * unread, and the reason of `close`.
   */
  next(): Promise<Delivery>;
  /** Called once when the follower is dropped, so that a write that waits for the peer can end. */
  onDropped(listener: () => void): void;
  close(reason?: unknown): void;
}

/** The tail's side of a subscription. */
export interface Feed {
  readonly subscription: Subscription;
  /** Adds rows after the follower's own place; never waits. */
  push(rows: readonly LogRow[]): void;
  /** Called when the action has ended without a further event. */
  end(): void;
  fail(reason: unknown): void;
}

/** Opens the share of a follower that has everything up to `after`. `closed` is called once, however it ends. */
export function openFeed(after: Position, closed: () => void): Feed {
  let unread: LogRow[] = [];
  let characters = 0;
  let ended = false;
  let failure: { reason: unknown } | undefined;
  let waiting: PromiseWithResolvers<Delivery> | undefined;
  let dropped: () => void = () => undefined;

  const taken = (): Delivery => {
    const rows = unread;
    unread = [];
    characters = 0;
    return { rows, ended };
  };
  /** Hands over to a follower that waits: directly, since an event wakes thousands. */
  const wake = (): void => {
    const waiter = waiting;
    waiting = undefined;
    if (failure) waiter?.reject(failure.reason);
    else waiter?.resolve(taken());
  };
  const fail = (reason: unknown): void => {
    if (failure) return;
    failure = { reason };
    unread = [];
    closed();
    wake();
    dropped();
  };
  return {
    push: (rows) => {
      if (failure) return;
      for (const row of rows) {
        if (comparePositions(row.position, after) <= 0) continue;
        unread.push(row);
        characters += row.record.length + (row.chunk?.record.length ?? 0);
      }
      if (unread.length > MAX_UNREAD_ROWS || characters > MAX_UNREAD_CHARACTERS) fail(new FollowerTooSlow());
      else if (unread.length > 0) wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    fail,
    subscription: {
      next: () => {
        if (failure) return Promise.reject(failure.reason);
        if (unread.length > 0 || ended) return Promise.resolve(taken());
        waiting ??= Promise.withResolvers<Delivery>();
        return waiting.promise;
      },
      onDropped: (listener) => {
        dropped = listener;
      },
      close: (reason) => fail(reason),
    },
  };
}

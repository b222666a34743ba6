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

/** Takes a delivery; false, or a promise of it: no further one is wanted. A promise holds the next delivery back. */
export type TakeDelivery = (delivery: Delivery) => boolean | Promise<boolean>;

/** One follower's bounded share of the tail. */
export interface Subscription {
  /**
   * Hands over what has arrived and what arrives, until no more is wanted or the action has ended. To be called once. Throws FollowerTooSlow once
   * the follower left too much unread, what `take` throws, and the reason of `close`.
   */
  each(take: TakeDelivery): Promise<void>;
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
  let taker: { readonly take: TakeDelivery; readonly done: PromiseWithResolvers<void> } | undefined;
  let isBusy = false;
  let dropped: () => void = () => undefined;

  const fail = (reason: unknown): void => {
    if (failure) return;
    failure = { reason };
    unread = [];
    closed();
    taker?.done.reject(reason);
    dropped();
  };
  const taken = (isMore: boolean): void => {
    isBusy = false;
    if (isMore) handOver();
    else taker?.done.resolve();
  };
  /** Hands over to a follower that takes: directly, since an event wakes thousands, for whom promises would be felt. */
  const handOver = (): void => {
    if (!taker || isBusy || failure || (unread.length === 0 && !ended)) return;
    const delivery = { rows: unread, ended };
    unread = [];
    characters = 0;
    isBusy = true;
    try {
      const more = taker.take(delivery);
      if (typeof more === 'boolean') taken(more && !delivery.ended);
      else more.then((isMore) => taken(isMore && !delivery.ended), fail);
    } catch (error) {
      fail(error);
    }
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
      else handOver();
    },
    end: () => {
      ended = true;
      handOver();
    },
    fail,
    subscription: {
      each: (take) => {
        const done = Promise.withResolvers<void>();
        taker = { take, done };
        if (failure) done.reject(failure.reason);
        else handOver();
        return done.promise;
      },
      onDropped: (listener) => {
        dropped = listener;
      },
      close: (reason) => fail(reason),
    },
  };
}

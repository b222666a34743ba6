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
  /** Continues after a delivery that was handed over in step, with what its taker answered. */
  answered(more: boolean | Promise<boolean>): void;
  /** Called when the action has ended without a further event. */
  end(): void;
  fail(reason: unknown): void;
}

/** What becomes of a feed. */
export interface FeedEvents {
  /** Called once, however it ends. */
  closed(): void;
  /**
   * Called when the follower has everything that came and waits for more. Until it answers otherwise what comes may be given to `take` itself,
   * which costs a fraction of a push where thousands wait.
   */
  inStep?(take: TakeDelivery): void;
}

/** Opens the share of a follower that has everything up to `after`. */
export function openFeed(after: Position, { closed, inStep }: FeedEvents): Feed {
  /** What waits for a follower that is not yet taking, or still busy with a delivery. */
  let unread: LogRow[] = [];
  let characters = 0;
  /** Whether the first row that comes lies behind `after`, as all do from then on. */
  let isPast = false;
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
    if (!isMore) {
      taker?.done.resolve();
      return;
    }
    if (failure || !taker) return;
    isBusy = false;
    if (unread.length > 0 || ended) handOverUnread();
    else inStep?.(taker.take);
  };
  const answered = (more: boolean | Promise<boolean>, isLast = false): void => {
    isBusy = true;
    if (typeof more === 'boolean') taken(more && !isLast);
    else more.then((isMore) => taken(isMore && !isLast), fail);
  };
  /** Hands over to a follower that takes: directly, since an event wakes thousands, for whom promises would be felt. */
  const handOver = (take: TakeDelivery, rows: readonly LogRow[]): void => {
    const delivery = { rows, ended };
    isBusy = true;
    try {
      answered(take(delivery), delivery.ended);
    } catch (error) {
      fail(error);
    }
  };
  const handOverUnread = (): void => {
    if (!taker || isBusy || failure || (unread.length === 0 && !ended)) return;
    const rows = unread;
    unread = [];
    characters = 0;
    handOver(taker.take, rows);
  };
  return {
    push: (rows) => {
      const [first] = rows;
      if (failure || !first) return;
      isPast ||= comparePositions(first.position, after) > 0;
      const further = isPast ? rows : rows.filter(({ position }) => comparePositions(position, after) > 0);
      if (further.length === 0) return;
      // The very rows that others get, so that what is made of them is made once for all.
      if (taker && !isBusy) return handOver(taker.take, further);
      for (const row of further) {
        unread.push(row);
        characters += row.record.length + (row.chunk?.record.length ?? 0);
      }
      if (unread.length > MAX_UNREAD_ROWS || characters > MAX_UNREAD_CHARACTERS) fail(new FollowerTooSlow());
    },
    answered,
    end: () => {
      ended = true;
      handOverUnread();
    },
    fail,
    subscription: {
      each: (take) => {
        const done = Promise.withResolvers<void>();
        taker = { take, done };
        if (failure) done.reject(failure.reason);
        else handOverUnread();
        return done.promise;
      },
      onDropped: (listener) => {
        dropped = listener;
      },
      close: (reason) => fail(reason),
    },
  };
}

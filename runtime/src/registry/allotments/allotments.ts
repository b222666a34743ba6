import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { CounterMaker } from '../routes/counters.js';
import type { Placement, PlaceOutcome } from '../routes/place.js';
import { openAsking, WANTED_CHANNEL } from './asking.js';
import { COMPARE_EVERY_MS, compare } from './compare.js';
import { endHolder, endUnused, takeBackShares } from './holder.js';
import { type OwnLease, openOwnLease } from './own-lease.js';
import { refusals } from './refusals.js';
import { reserve } from './reserve.js';
import { sharesOf } from './shares.js';
import { storeHeld } from './store-held.js';

/** Holders whose shares are taken back in one call. */
const MAX_TAKEN_BACK = 16;

/**
 * The places and counters that this process may use without asking: what it once took stays its own while it uses it again and again, so that
 * placing and releasing write no row that processes share. What it did not use for a tick goes back, and at once when another process
 * needs it. Limits hold over all processes at every moment.
 */
export interface Allotments {
  /** Reserves in the shares and stores new routes of actions with different ids; the outcomes are those of placing without shares. Throws StorageUnavailable. */
  place(placements: readonly Placement[]): Promise<Map<string, PlaceOutcome>>;
  /** Takes a slot for a placement that is stored with something else, where unused shares suffice: undefined where they do not. */
  hold(placement: Placement): HeldSlot | undefined;
  /** These assignments are released, and their releases committed. */
  released(fenceTokens: readonly string[]): void;
  /**
   * Gives back what was unused since the last tick, keeps the lease, finds slots that others released, and takes back what it gave up. To be called
   * twice a second while shares are held.
   */
  tick(): Promise<void>;
  /** Whether this process holds shares, or gave some up that are not taken back. */
  inUse(): boolean;
  /** Calls the listener before shares change: from then on some may be held. */
  onChange(listener: () => void): void;
  /** Has others give back what they do not use, which get a moment for it, and takes it from those that ended; not again within a quarter of a second. */
  requestRoom(): Promise<void>;
  /** The same, and gives back what is unused here. */
  makeRoom(): Promise<void>;
  /** Takes back the shares of processes that ended. Returns how many. */
  takeBack(): Promise<number>;
  /** What of a replica's places is counted as active and unused here. */
  idle(replicaId: string): number;
  /** Gives everything back. */
  close(): Promise<void>;
}

/** A slot that was taken for one placement; its statement checks that the holder has its lease and its newest change. */
export interface HeldSlot {
  readonly holderId: string;
  readonly seq: number;
  /** To be called once, when the statement is answered; `unknown`: it may have been written. */
  written(outcome: 'stored' | 'refused' | 'unknown'): void;
}

export function openAllotments(deps: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly counters: CounterMaker;
  /** Places without shares. */
  readonly placeDirectly: (placements: readonly Placement[]) => Promise<Map<string, PlaceOutcome>>;
}): Allotments {
  const { pool, clock, counters, placeDirectly } = deps;
  let changing: () => void = () => undefined;
  let stopListening: Promise<() => Promise<void>> | undefined;
  const asking = openAsking(pool, () => takeBackAll(pool, clock, lease));
  const lease = openOwnLease({
    pool,
    clock,
    changing: () => changing(),
    taken: () => {
      stopListening ??= pool.listen(WANTED_CHANNEL, (id) => {
        if (id !== lease.held()?.id) void giveBack().catch(() => undefined);
      });
    },
  });
  let closed = false;
  const exclusively = inTurn();
  const giveBack = (): Promise<unknown> =>
    exclusively(async () => {
      const of = lease.held();
      return of && lease.change(of, of.ledger.unused());
    });
  const requestRoom = () => asking.forAnything(lease.held()?.id ?? '');

  return {
    place: async (placements) => {
      await counters.make(
        pool,
        placements.flatMap(({ admission }) => admission.base),
      );
      const taken = closed ? undefined : await reserve({ lease, asking, clock, exclusively }, placements);
      if (!taken) return placeDirectly(placements);
      const { of, lacking } = taken;
      const fitting = placements.filter((placement) => !lacking.has(placement));
      const outcomes =
        fitting.length > 0
          ? await storeHeld({ pool, clock, lease, placeDirectly }, of, fitting)
          : new Map<string, PlaceOutcome>();
      for (const [actionId, outcome] of await refusals(pool, lacking)) outcomes.set(actionId, outcome);
      return outcomes;
    },
    hold: (placement) => {
      const of = lease.held();
      const shares = sharesOf(placement);
      if (!of || closed || of.ledger.missing([shares]).length > 0) return undefined;
      if (of.ledger.take(placement, shares, clock())) return undefined;
      return {
        holderId: of.id,
        seq: of.seq,
        written: (outcome) => of.ledger.written(placement.fence_token, outcome),
      };
    },
    released: (fenceTokens) => {
      for (const token of fenceTokens) lease.held()?.ledger.free(token);
    },
    tick: () =>
      exclusively(async () => {
        const of = lease.held();
        const now = clock();
        if (of && !of.ledger.empty() && (await lease.renewed(of, now))) {
          if (now - of.comparedAt < COMPARE_EVERY_MS || (await compare(pool, of, now)))
            await lease.change(of, of.ledger.surplus());
          else lease.forget(of);
        }
        if (lease.givenUp.size > 0) await takeBackAll(pool, clock, lease);
      }),
    inUse: () => lease.givenUp.size > 0 || lease.held()?.ledger.empty() === false,
    onChange: (listener) => {
      changing = listener;
    },
    requestRoom,
    makeRoom: async () => {
      await giveBack();
      await requestRoom();
    },
    takeBack: () => takeBackAll(pool, clock, lease),
    idle: (replicaId) => lease.held()?.ledger.idle(replicaId) ?? 0,
    close: async () => {
      if (closed) return;
      closed = true;
      await stopListening?.then((stop) => stop());
      await exclusively(async () => {
        const of = lease.held();
        if (!of) return;
        lease.forget(of);
        await lease.change(of, of.ledger.unused());
        await endHolder(pool, of.id);
      });
    },
  };
}

/** One after the other: changes are numbered, and what one got is taken before the next asks. */
function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** Takes back the shares of holders that ended, of several at most; returns of how many. */
async function takeBackAll(pool: Pool, clock: Clock, { givenUp }: Pick<OwnLease, 'givenUp'>): Promise<number> {
  const ids = [...givenUp];
  await endUnused(pool, ids);
  for (const id of ids) givenUp.delete(id);
  let count = 0;
  while (count < MAX_TAKEN_BACK && (await takeBackShares(pool, clock()))) count += 1;
  return count;
}

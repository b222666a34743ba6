import { randomUUID } from 'node:crypto';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { changeShares } from './change-shares.js';
import { HOLDER_LEASE_MS, openHolder, renewHolder } from './holder.js';
import { allotmentLedger, type Ledger, type ShareChange } from './ledger.js';
import { nameOf } from './shares.js';

const RENEW_EVERY_MS = 3000;

/** A lease of this process, with its shares. */
export interface Holder {
  readonly id: string;
  readonly ledger: Ledger;
  /** The newest change of its shares, and the newest that is known to be written. */
  asked: number;
  seq: number;
  renewedAt: number;
  comparedAt: number;
}

/** The names of shares that could not get all that was wanted, and of those that others hold too. */
export interface Changed {
  readonly full: ReadonlySet<string>;
  readonly shared: ReadonlySet<string>;
}

/** The lease under which this process holds shares. */
export interface OwnLease {
  /** The lease; undefined while there is none. */
  held(): Holder | undefined;
  /** The lease, renewed where that is time, or a new one. */
  current(): Promise<Holder>;
  /** Whether a holder has its lease for a while longer. */
  renewed(of: Holder, now: number): Promise<boolean>;
  /** Gives a lease up: its shares are left to those who take back the shares of ended holders. */
  forget(of: Holder): void;
  /** The ids of leases that were given up, for those who end them. */
  readonly givenUp: Set<string>;
  /** Changes shares; undefined, and the lease given up, where it has ended. */
  change(of: Holder, changes: readonly ShareChange[]): Promise<Changed | undefined>;
}

/** A lease that is taken when it is needed first; `taken` is called with every new one, `changing` before its shares change. */
export function openOwnLease({
  pool,
  clock,
  taken,
  changing,
}: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly taken: () => void;
  readonly changing: () => void;
}): OwnLease {
  let holder: Holder | undefined;
  const givenUp = new Set<string>();
  const forget = (of: Holder): void => {
    if (holder === of) holder = undefined;
    givenUp.add(of.id);
  };
  const renewed = async (of: Holder, now: number): Promise<boolean> => {
    if (now - of.renewedAt < RENEW_EVERY_MS) return true;
    const live = now - of.renewedAt < HOLDER_LEASE_MS && (await renewHolder(pool, of.id, now));
    if (live) of.renewedAt = now;
    else forget(of);
    return live;
  };
  return {
    held: () => holder,
    current: async () => {
      const now = clock();
      if (holder && (await renewed(holder, now))) return holder;
      const made = newHolder(now);
      await openHolder(pool, made.id, now);
      taken();
      holder = made;
      return made;
    },
    renewed,
    forget,
    givenUp,
    change: async (of, changes) => {
      if (changes.length === 0) return { full: new Set(), shared: new Set() };
      changing();
      of.ledger.changing(changes);
      of.asked += 1;
      const seq = of.asked;
      try {
        const shares = await changeShares(pool, { id: of.id, seq }, changes, clock());
        if (shares) {
          of.seq = seq;
          of.ledger.changed(changes, shares);
        } else forget(of);
        return shares && changedBy(changes, shares);
      } catch (error) {
        forget(of);
        throw error;
      }
    },
  };
}

function newHolder(now: number): Holder {
  return {
    id: `holder_${randomUUID()}`,
    ledger: allotmentLedger(),
    asked: 0,
    seq: 0,
    renewedAt: now,
    comparedAt: now,
  };
}

function changedBy(
  changes: readonly ShareChange[],
  shares: readonly { scope: string; key: string; granted: number; shared: boolean }[],
): Changed {
  const wanted = new Map(changes.map((each) => [nameOf(each), each.keep + each.want]));
  return {
    full: new Set(shares.filter((each) => each.granted < (wanted.get(nameOf(each)) ?? 0)).map(nameOf)),
    shared: new Set(shares.filter((each) => each.shared).map(nameOf)),
  };
}

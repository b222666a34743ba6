import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { StorageUnavailable } from '../../protocol/errors.js';
import type { AdmissionScope } from '../routes/assignment.js';
import type { CounterMaker } from '../routes/counters.js';
import type { Placement, PlaceOutcome } from '../routes/place.js';
import { changeShares } from './change-shares.js';
import { endHolder, HOLDER_LEASE_MS, openHolder, renewHolder, takeBackShares } from './holder.js';
import { allotmentLedger, type Ledger, type Share, type ShareChange } from './ledger.js';
import { placeHeld } from './place-held.js';

/** Asks the holders of shares to give back what they do not use. */
const WANTED_CHANNEL = 'aip_registry_allotments';
const WANTED = 'SELECT pg_notify($1, $2)';

/** How long others get to give something back, and how often at most they are asked, for anything and for one share, in milliseconds. */
const GIVE_BACK_MS = 25;
const ASK_EVERY_MS = 250;
const ASK_AGAIN_MS = 2000;
const MAX_ASKED = 1000;
/** When slots are compared with the database, and from which age on; a write whose outcome is unknown may still come for a while. */
const COMPARE_EVERY_MS = 2000;
const UNKNOWN_FOR_MS = 60_000;
const RENEW_EVERY_MS = 3000;
/** How often shares are asked for that acceptances took in between. */
const ATTEMPTS = 10;
/** Holders whose shares are taken back in one call. */
const MAX_TAKEN_BACK = 16;

// Slots of a holder that are still reserved in its shares.
const STILL_HELD = `
SELECT fence_token AS slot FROM registry.assignments WHERE fence_token = ANY($1) AND reserved AND holder = $2`;

// The catalog revision of now, and which of these actions have a route already.
const STANDING = `
SELECT (SELECT revision FROM registry.catalog) AS revision,
  ARRAY(SELECT action_id FROM registry.assignments WHERE action_id = ANY($1)) AS known`;

/** The names of shares that could not get all that was wanted, and of those that others hold too. */
interface Changed {
  readonly full: ReadonlySet<string>;
  readonly shared: ReadonlySet<string>;
}

/** A lease of this process, with its shares. */
interface Holder {
  readonly id: string;
  readonly ledger: Ledger;
  /** The newest change of its shares, and the newest that is known to be written. */
  asked: number;
  seq: number;
  renewedAt: number;
  comparedAt: number;
}

/**
 * The places and counters that this process may use without asking: what it once took stays its own while it uses it again and again, so that
 * placing and releasing write no row that processes share. What it did not use for a tick goes back, and at once when another process
 * needs it. Limits hold over all processes at every moment.
 */
export interface Allotments {
  /** Reserves in the shares and stores new routes; the outcomes are those of placing without shares. Throws StorageUnavailable. */
  place(placements: readonly Placement[]): Promise<Map<string, PlaceOutcome>>;
  /** Takes a slot for a placement that is stored with something else, where unused shares suffice: undefined where they do not. */
  hold(placement: Placement): HeldSlot | undefined;
  /** These assignments are released, and their releases committed. */
  released(fenceTokens: readonly string[]): void;
  /** Gives back what was unused since the last tick, keeps the lease, and finds slots that others released. To be called twice a second. */
  tick(): Promise<void>;
  /** Gives back what is unused now, also by others, which get a moment for it. */
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
  let holder: Holder | undefined;
  let stopListening: Promise<() => Promise<void>> | undefined;
  let askedAt = 0;
  const asked = new Map<string, number>();
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: changes are numbered, and what one got is taken before the next asks. */
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  const current = async (): Promise<Holder> => {
    const now = clock();
    if (holder && (await renewed(holder, now))) return holder;
    const made: Holder = {
      id: `holder_${randomUUID()}`,
      ledger: allotmentLedger(),
      asked: 0,
      seq: 0,
      renewedAt: now,
      comparedAt: now,
    };
    await openHolder(pool, made.id, now);
    stopListening ??= pool.listen(WANTED_CHANNEL, (id) => {
      if (id !== holder?.id) void giveBack().catch(() => undefined);
    });
    holder = made;
    return made;
  };

  /** Whether a holder has its lease for a while longer. */
  const renewed = async (of: Holder, now: number): Promise<boolean> => {
    if (now - of.renewedAt < RENEW_EVERY_MS) return true;
    const live = now - of.renewedAt < HOLDER_LEASE_MS && (await renewHolder(pool, of.id, now));
    if (live) of.renewedAt = now;
    else forget(of);
    return live;
  };

  /** Changes shares; what is not certain any more is left to those who take back the shares of ended holders. */
  const change = async (of: Holder, changes: readonly ShareChange[]): Promise<Changed | undefined> => {
    if (changes.length === 0) return { full: new Set(), shared: new Set() };
    of.ledger.changing(changes);
    of.asked += 1;
    const seq = of.asked;
    try {
      const shares = await changeShares(pool, { id: of.id, seq }, changes, clock());
      if (shares) {
        of.seq = seq;
        of.ledger.changed(changes, shares);
      } else forget(of);
      if (!shares) return undefined;
      const wanted = new Map(changes.map((each) => [nameOf(each), each.keep + each.want]));
      return {
        full: new Set(shares.filter((each) => each.granted < (wanted.get(nameOf(each)) ?? 0)).map(nameOf)),
        shared: new Set(shares.filter((each) => each.shared).map(nameOf)),
      };
    } catch (error) {
      forget(of);
      throw error;
    }
  };
  const forget = (of: Holder): void => {
    if (holder === of) holder = undefined;
  };

  /** Takes the slots of these placements: what each lacks that does not fit, and the names of shares that others hold too. */
  const takeSlots = async (
    of: Holder,
    placements: readonly Placement[],
  ): Promise<{ lacking: Map<Placement, Share>; shared: ReadonlySet<string> } | undefined> => {
    const lacking = new Map<Placement, Share>();
    let shared: ReadonlySet<string> = new Set();
    let open = placements;
    // What was granted may be taken by an acceptance in between; it lacks a share only when the database said so.
    for (let attempt = 0; attempt < ATTEMPTS && open.length > 0; attempt += 1) {
      const changed = await change(of, of.ledger.missing(open.map(sharesOf)));
      if (!changed) return undefined;
      shared = new Set([...shared, ...changed.shared]);
      const taken = new Set<Placement>();
      for (const placement of open) {
        const share = of.ledger.take(placement.fence_token, sharesOf(placement), clock());
        if (share) lacking.set(placement, share);
        else taken.add(placement);
      }
      for (const placement of taken) lacking.delete(placement);
      open = open.filter((placement) => {
        const share = lacking.get(placement);
        return share !== undefined && !changed.full.has(nameOf(share));
      });
    }
    return { lacking, shared };
  };

  /** Asks for shares that others may not use, and gives them time; false when they were asked a moment ago. */
  const askOthers = async (of: Holder, names: readonly string[]): Promise<boolean> => {
    const now = performance.now();
    const fresh = names.filter((name) => now - (asked.get(name) ?? Number.NEGATIVE_INFINITY) > ASK_AGAIN_MS);
    if (fresh.length === 0 || now - askedAt < ASK_EVERY_MS) return false;
    askedAt = now;
    if (asked.size > MAX_ASKED) asked.clear();
    for (const name of fresh) asked.set(name, now);
    await ask(of.id);
    return true;
  };
  const ask = async (id: string): Promise<void> => {
    await pool.query({ name: 'registry.allotments.wanted', text: WANTED, values: [WANTED_CHANNEL, id] });
    await pause(GIVE_BACK_MS);
  };

  /** Takes slots where they fit, also in shares that others give back for it. Undefined: this process holds nothing now. */
  const reserve = async (placements: readonly Placement[]) => {
    const take = (wanted: readonly Placement[]) =>
      exclusively(async () => {
        const of = await current();
        const taken = await takeSlots(of, wanted);
        return taken && { of, ...taken };
      });
    const first = await take(placements);
    if (!first) return undefined;
    const { of, lacking, shared } = first;
    const names = [...lacking.values()].map(nameOf).filter((name) => shared.has(name));
    if (names.length === 0) return first;
    // What fits is placed also where the others cannot be asked.
    const again = async () => ((await askOthers(of, names)) ? take([...lacking.keys()]) : undefined);
    const second = await again().catch(() => undefined);
    // Slots of two holders are not stored by one statement; what a new one took goes back.
    if (second?.of === of) return { of, lacking: second.lacking };
    for (const { fence_token } of lacking.keys()) second?.of.ledger.written(fence_token, 'refused');
    return first;
  };

  const giveBack = (): Promise<unknown> => exclusively(async () => holder && change(holder, holder.ledger.unused()));

  const compare = async (of: Holder): Promise<void> => {
    const now = clock();
    of.comparedAt = now;
    const taken = of.ledger.takenBefore(now - COMPARE_EVERY_MS);
    if (taken.length === 0) return;
    const { rows } = await pool.query<{ slot: string }>({
      name: 'registry.allotments.still_held',
      text: STILL_HELD,
      values: [taken.map(({ slot }) => slot), of.id],
    });
    const held = new Set(rows.map(({ slot }) => slot));
    const old = new Set(of.ledger.takenBefore(now - UNKNOWN_FOR_MS).map(({ slot }) => slot));
    for (const { slot, stored } of taken) if (!held.has(slot) && (stored || old.has(slot))) of.ledger.free(slot);
  };

  /** What lacks a share is refused for that only where it has no route and the catalog is the one that its share was chosen by. */
  const refusals = async (lacking: ReadonlyMap<Placement, Share>): Promise<[string, PlaceOutcome][]> => {
    if (lacking.size === 0) return [];
    const { rows } = await pool.query<{ revision: number; known: string[] }>({
      name: 'registry.allotments.standing',
      text: STANDING,
      values: [[...lacking.keys()].map(({ action_id }) => action_id)],
    });
    const known = new Set(rows[0]?.known);
    return [...lacking].map(([{ action_id, catalog_revision }, { scope }]) => {
      if (known.has(action_id)) return [action_id, 'known'];
      if (rows[0]?.revision !== catalog_revision) return [action_id, 'moved'];
      return [action_id, scope === 'replica' ? 'replica' : { full: scope as AdmissionScope['kind'] }];
    });
  };

  const store = async (of: Holder, placements: readonly Placement[]): Promise<Map<string, PlaceOutcome>> => {
    const { ledger } = of;
    const written = (outcome: 'refused' | 'unknown') => {
      for (const { fence_token } of placements) ledger.written(fence_token, outcome);
    };
    try {
      const outcomes = await placeHeld(pool, of, placements, clock());
      const kept = new Map<string, PlaceOutcome>();
      const direct: Placement[] = [];
      for (const placement of placements) {
        const outcome = outcomes.get(placement.action_id) ?? 'replica';
        ledger.written(placement.fence_token, typeof outcome === 'object' ? 'stored' : 'refused');
        if (outcome === 'holder') direct.push(placement);
        else kept.set(placement.action_id, outcome);
      }
      if (direct.length === 0) return kept;
      forget(of);
      return new Map([...kept, ...(await placeDirectly(direct))]);
    } catch (error) {
      written(error instanceof StorageUnavailable ? 'unknown' : 'refused');
      throw error;
    }
  };

  return {
    place: async (placements) => {
      await counters.make(
        pool,
        placements.flatMap(({ admission }) => admission.base),
      );
      const taken = closed ? undefined : await reserve(placements);
      if (!taken) return placeDirectly(placements);
      const { of, lacking } = taken;
      const fitting = placements.filter((placement) => !lacking.has(placement));
      const outcomes = fitting.length > 0 ? await store(of, fitting) : new Map<string, PlaceOutcome>();
      for (const [actionId, outcome] of await refusals(lacking)) outcomes.set(actionId, outcome);
      return outcomes;
    },
    hold: (placement) => {
      const of = holder;
      const shares = sharesOf(placement);
      if (!of || closed || of.ledger.missing([shares]).length > 0) return undefined;
      if (of.ledger.take(placement.fence_token, shares, clock())) return undefined;
      return {
        holderId: of.id,
        seq: of.seq,
        written: (outcome) => of.ledger.written(placement.fence_token, outcome),
      };
    },
    released: (fenceTokens) => {
      for (const token of fenceTokens) holder?.ledger.free(token);
    },
    tick: () =>
      exclusively(async () => {
        const of = holder;
        if (!of) return;
        const now = clock();
        if (of.ledger.empty() || !(await renewed(of, now))) return;
        if (now - of.comparedAt >= COMPARE_EVERY_MS) await compare(of);
        await change(of, of.ledger.surplus());
      }),
    makeRoom: async () => {
      await giveBack();
      const now = performance.now();
      if (now - askedAt < ASK_EVERY_MS) return;
      askedAt = now;
      await ask(holder?.id ?? '');
    },
    takeBack: async () => {
      let count = 0;
      while (count < MAX_TAKEN_BACK && (await takeBackShares(pool, clock()))) count += 1;
      return count;
    },
    idle: (replicaId) => holder?.ledger.idle(replicaId) ?? 0,
    close: async () => {
      if (closed) return;
      closed = true;
      await stopListening?.then((stop) => stop());
      await exclusively(async () => {
        const of = holder;
        if (!of) return;
        forget(of);
        await change(of, of.ledger.unused());
        await endHolder(pool, of.id);
      });
    },
  };
}

const nameOf = ({ scope, key }: { readonly scope: string; readonly key: string }): string => `${scope}\u001f${key}`;

function sharesOf({ replica_id, admission }: Placement): Share[] {
  return [
    { scope: 'replica', key: replica_id },
    ...admission.base.map(({ kind, key, limit }) => ({ scope: kind, key, limit })),
  ];
}

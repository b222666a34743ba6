import { StorageUnavailable } from '../../protocol/errors.js';

/** What is shared: the places of a replica (scope `replica`), or a counter of a quota policy. */
export interface Share {
  readonly scope: string;
  readonly key: string;
  /** Absent for a replica: its own capacity bounds it. */
  readonly limit?: number | undefined;
}

/** A change of the holder's share: keep so much of it, and take so much more where there is room. */
export interface ShareChange extends Share {
  readonly keep: number;
  readonly want: number;
}

/** A share after a change. */
export interface ChangedShare {
  readonly scope: string;
  readonly key: string;
  readonly granted: number;
  /** More is active than the limit, which was lowered: what becomes free must not be used again. */
  readonly over: boolean;
  /** Others hold a part, which they may not use. */
  readonly shared: boolean;
}

/** What a slot is: reserved by a write whose outcome is not known yet, or stored. */
interface Slot {
  readonly actionId: string;
  readonly names: readonly string[];
  readonly takenAt: number;
  state: 'writing' | 'unknown' | 'stored';
}

interface Entry extends Share {
  limit: number | undefined;
  granted: number;
  used: number;
  /** Of `used`: taken by a write that is not answered. */
  writing: number;
  /** The least that was unused since it was last asked for. */
  leastIdle: number;
  /** Unused parts may not be taken before the database agreed. */
  recheck: boolean;
}

/** What a slot is taken for: the fence token names the slot. */
export interface SlotRoute {
  readonly fence_token: string;
  readonly action_id: string;
}

/** The shares of one holder and what it uses of them, without time or storage of its own. Slots are named by their fence tokens. */
export interface Ledger {
  /** The changes without which not all of these would fit; none: all do. */
  missing(wanted: readonly (readonly Share[])[]): ShareChange[];
  /** A change is on its way: no more than what it keeps is used until it is answered. */
  changing(changes: readonly ShareChange[]): void;
  changed(changes: readonly ShareChange[], shares: readonly ChangedShare[]): void;
  /** Takes one of each share for the route of an action, or nothing: the first that has none left. */
  take(route: SlotRoute, shares: readonly Share[], nowMs: number): Share | undefined;
  /** The write of a slot is answered; `unknown`: it may be stored or not. */
  written(slot: string, outcome: 'stored' | 'refused' | 'unknown'): void;
  /** A slot is no longer reserved. */
  free(slot: string): void;
  /** Slots that were taken before a time, with their actions and whether they are known to be stored. */
  takenBefore(atMs: number): { slot: string; actionId: string; stored: boolean }[];
  /** The changes that give back what was not used since the last call. */
  surplus(): ShareChange[];
  /** The changes that give back what is not used now. */
  unused(): ShareChange[];
  /** What of a replica's places the database counts as active and this holder does not use. */
  idle(replicaId: string): number;
  empty(): boolean;
}

/** What became of the slots of a write that failed: only what the database has answered is known to be refused. */
export function outcomeOfFailure(error: unknown): 'refused' | 'unknown' {
  return error instanceof StorageUnavailable ? 'unknown' : 'refused';
}

const nameOf = ({ scope, key }: { scope: string; key: string }): string => `${scope}\u001f${key}`;

/** The entry of a share, made where there is none; one whose limit changed is checked again. */
function entryOf(entries: Map<string, Entry>, share: Share): Entry {
  const known = entries.get(nameOf(share));
  if (known) {
    if (known.limit !== share.limit) Object.assign(known, { limit: share.limit, recheck: true });
    return known;
  }
  const made = { ...share, limit: share.limit, granted: 0, used: 0, writing: 0, leastIdle: 0 };
  const entry = { ...made, recheck: false };
  entries.set(nameOf(share), entry);
  return entry;
}

function idleOf({ granted, used }: Entry): number {
  return granted - used;
}

function noticeIdle(entry: Entry): void {
  entry.leastIdle = Math.min(entry.leastIdle, idleOf(entry));
}

/** The change that keeps so much of a share. */
function keeping({ scope, key, limit }: Entry, keep: number): ShareChange {
  return { scope, key, limit, keep, want: 0 };
}

/** The changes without which not all of these would fit. */
function missingChanges(entries: Map<string, Entry>, wanted: readonly (readonly Share[])[]): ShareChange[] {
  const demand = new Map<Entry, number>();
  for (const shares of wanted)
    for (const share of shares) {
      const entry = entryOf(entries, share);
      demand.set(entry, (demand.get(entry) ?? 0) + 1);
    }
  return [...demand].flatMap(([entry, count]) => {
    if (!entry.recheck && count <= idleOf(entry)) return [];
    const { scope, key, limit, used, granted, recheck } = entry;
    // What is unused is requested again where the limit may have been lowered.
    const keep = recheck ? used : granted;
    return [{ scope, key, limit, keep, want: Math.max(0, count - (keep - used)) }];
  });
}

export function allotmentLedger(): Ledger {
  const entries = new Map<string, Entry>();
  const slots = new Map<string, Slot>();

  const release = (slot: string): void => {
    const taken = slots.get(slot);
    if (!taken) return;
    slots.delete(slot);
    for (const name of taken.names) {
      const entry = entries.get(name);
      if (!entry) continue;
      entry.used -= 1;
      if (taken.state === 'writing') entry.writing -= 1;
    }
  };
  return {
    missing: (wanted) => missingChanges(entries, wanted),
    changing: (changes) => {
      for (const { keep, ...share } of changes) {
        const entry = entries.get(nameOf(share));
        if (!entry) continue;
        entry.granted = keep;
        entry.leastIdle = Math.max(0, Math.min(entry.leastIdle, idleOf(entry)));
      }
    },
    changed: (changes, shares) => {
      const after = new Map(shares.map((share) => [nameOf(share), share]));
      for (const { keep, ...share } of changes) {
        const entry = entries.get(nameOf(share));
        const now = after.get(nameOf(share));
        if (!entry || !now) continue;
        entry.granted += now.granted - keep;
        entry.recheck = now.over;
        if (entry.granted === 0 && entry.used === 0) entries.delete(nameOf(share));
      }
    },
    take: ({ fence_token, action_id }, shares, nowMs) => {
      const lacking = shares.find((share) => idleOf(entryOf(entries, share)) < 1);
      if (lacking) return lacking;
      for (const share of shares) {
        const entry = entryOf(entries, share);
        entry.used += 1;
        entry.writing += 1;
        noticeIdle(entry);
      }
      slots.set(fence_token, { actionId: action_id, names: shares.map(nameOf), takenAt: nowMs, state: 'writing' });
      return undefined;
    },
    written: (slot, outcome) => {
      const taken = slots.get(slot);
      if (taken?.state !== 'writing') return;
      if (outcome === 'refused') {
        release(slot);
        return;
      }
      for (const name of taken.names) {
        const entry = entries.get(name);
        if (entry) entry.writing -= 1;
      }
      taken.state = outcome;
    },
    free: release,
    takenBefore: (atMs) =>
      [...slots].flatMap(([slot, { actionId, takenAt, state }]) =>
        takenAt < atMs && state !== 'writing' ? [{ slot, actionId, stored: state === 'stored' }] : [],
      ),
    surplus: () => {
      const changes: ShareChange[] = [];
      for (const [name, entry] of entries) {
        if (entry.granted === 0 && entry.used === 0) entries.delete(name);
        if (entry.leastIdle > 0 || (entry.recheck && idleOf(entry) > 0))
          changes.push(keeping(entry, entry.granted - (entry.recheck ? idleOf(entry) : entry.leastIdle)));
        entry.leastIdle = idleOf(entry);
      }
      return changes;
    },
    unused: () => [...entries.values()].flatMap((entry) => (idleOf(entry) > 0 ? [keeping(entry, entry.used)] : [])),
    idle: (replicaId) => {
      const entry = entries.get(nameOf({ scope: 'replica', key: replicaId }));
      return entry ? idleOf(entry) + entry.writing : 0;
    },
    empty: () => slots.size === 0 && [...entries.values()].every(({ granted }) => granted === 0),
  };
}

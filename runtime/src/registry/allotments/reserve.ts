import type { Clock } from '../../protocol/clock.js';
import type { Placement } from '../routes/place.js';
import type { Asking } from './asking.js';
import type { Share } from './ledger.js';
import type { Holder, OwnLease } from './own-lease.js';
import { nameOf } from './shares.js';
import { takeSlots } from './take-slots.js';

/** Slots of placements: who holds them, and the placements that lack a share. */
export interface Reserved {
  readonly of: Holder;
  readonly lacking: ReadonlyMap<Placement, Share>;
}

/** What reserving needs. `exclusively` runs one change of the lease at a time. */
export interface ReserveDeps {
  readonly lease: OwnLease;
  readonly asking: Asking;
  readonly clock: Clock;
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Takes slots where they fit, also in shares that others give back for it. Undefined: this process holds nothing now. */
export async function reserve(
  { lease, asking, clock, exclusively }: ReserveDeps,
  placements: readonly Placement[],
): Promise<Reserved | undefined> {
  const take = (wanted: readonly Placement[]) =>
    exclusively(async () => {
      const of = await lease.current();
      const taken = await takeSlots(lease, of, wanted, clock);
      return taken && { of, ...taken };
    });
  const first = await take(placements);
  if (!first) return undefined;
  const { of, lacking, shared } = first;
  const names = [...lacking.values()].map(nameOf).filter((name) => shared.has(name));
  if (names.length === 0) return first;
  // What fits is placed also where the others cannot be asked.
  const again = async () => ((await asking.forShares(of.id, names)) ? take([...lacking.keys()]) : undefined);
  const second = await again().catch(() => undefined);
  // Slots of two holders are not stored by one statement; what a new one took goes back.
  if (second?.of === of) return { of, lacking: second.lacking };
  for (const { fence_token } of lacking.keys()) second?.of.ledger.written(fence_token, 'refused');
  return first;
}

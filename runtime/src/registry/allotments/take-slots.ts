import type { Clock } from '../../protocol/clock.js';
import type { Placement } from '../routes/place.js';
import type { Share } from './ledger.js';
import type { Holder, OwnLease } from './own-lease.js';
import { nameOf, sharesOf } from './shares.js';

/** How often shares are requested that acceptances took in between. */
const ATTEMPTS = 10;

/** Takes the slots of these placements: what each lacks that does not fit, and the names of shares that others hold too. */
export async function takeSlots(
  lease: OwnLease,
  of: Holder,
  placements: readonly Placement[],
  clock: Clock,
): Promise<{ lacking: Map<Placement, Share>; shared: ReadonlySet<string> } | undefined> {
  const lacking = new Map<Placement, Share>();
  let shared: ReadonlySet<string> = new Set();
  let open = placements;
  // What was granted may be taken by an acceptance in between; it lacks a share only when the database said so.
  for (let attempt = 0; attempt < ATTEMPTS && open.length > 0; attempt += 1) {
    const changed = await lease.change(of, of.ledger.missing(open.map(sharesOf)));
    if (!changed) return undefined;
    shared = new Set([...shared, ...changed.shared]);
    const taken = new Set<Placement>();
    for (const placement of open) {
      const share = of.ledger.take(placement, sharesOf(placement), clock());
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
}

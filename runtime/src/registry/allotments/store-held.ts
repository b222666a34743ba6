import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Placement, PlaceOutcome } from '../routes/place.js';
import { outcomeOfFailure } from './ledger.js';
import type { Holder, OwnLease } from './own-lease.js';
import { placeHeld } from './place-held.js';

/** What storing needs. */
export interface StoreDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly lease: Pick<OwnLease, 'forget'>;
  /** Places without shares. */
  readonly placeDirectly: (placements: readonly Placement[]) => Promise<Map<string, PlaceOutcome>>;
}

/** Stores placements that have slots in the shares of `of`; without shares where its lease was lost. The slots are answered in any case. */
export async function storeHeld(
  { pool, clock, lease, placeDirectly }: StoreDeps,
  of: Holder,
  placements: readonly Placement[],
): Promise<Map<string, PlaceOutcome>> {
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
    lease.forget(of);
    return new Map([...kept, ...(await placeDirectly(direct))]);
  } catch (error) {
    written(outcomeOfFailure(error));
    throw error;
  }
}

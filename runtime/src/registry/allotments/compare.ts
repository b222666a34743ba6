import type { Pool } from '../../postgres/pool.js';
import type { Holder } from './own-lease.js';

/** When slots are compared with the database, and from which age on; a write whose outcome is unknown may still come for a while. */
export const COMPARE_EVERY_MS = 2000;
const UNKNOWN_FOR_MS = 60_000;

// Slots of a holder that are still reserved in its shares, found by their actions.
const STILL_HELD = `
SELECT fence_token AS slot FROM registry.assignments
WHERE action_id = ANY($3) AND fence_token = ANY($1) AND reserved AND holder = $2`;

/** Frees the slots that others released, or that were never written. */
export async function compare(pool: Pool, of: Holder, now: number): Promise<void> {
  of.comparedAt = now;
  const taken = of.ledger.takenBefore(now - COMPARE_EVERY_MS);
  if (taken.length === 0) return;
  const { rows } = await pool.query<{ slot: string }>({
    name: 'registry.allotments.still_held',
    text: STILL_HELD,
    values: [taken.map(({ slot }) => slot), of.id, taken.map(({ actionId }) => actionId)],
  });
  const held = new Set(rows.map(({ slot }) => slot));
  const old = new Set(of.ledger.takenBefore(now - UNKNOWN_FOR_MS).map(({ slot }) => slot));
  for (const { slot, stored } of taken) if (!held.has(slot) && (stored || old.has(slot))) of.ledger.free(slot);
}

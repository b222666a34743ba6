import type { Pool } from '../../postgres/pool.js';
import type { Holder } from './own-lease.js';

/** When slots are compared with the database, and from which age on. */
export const COMPARE_EVERY_MS = 2000;

// Slots of a holder that are still reserved in its shares, found by their actions.
const STILL_HELD = `
SELECT fence_token AS slot FROM registry.assignments
WHERE action_id = ANY($3) AND fence_token = ANY($1) AND reserved AND holder = $2`;

/** Frees the slots that others released. False where a write without an answer has stored nothing: it may still do so, unless the lease of the holder ends. */
export async function compare(pool: Pool, of: Holder, now: number): Promise<boolean> {
  of.comparedAt = now;
  const taken = of.ledger.takenBefore(now - COMPARE_EVERY_MS);
  if (taken.length === 0) return true;
  const { rows } = await pool.query<{ slot: string }>({
    name: 'registry.allotments.still_held',
    text: STILL_HELD,
    values: [taken.map(({ slot }) => slot), of.id, taken.map(({ actionId }) => actionId)],
  });
  const held = new Set(rows.map(({ slot }) => slot));
  const missing = taken.filter(({ slot }) => !held.has(slot));
  for (const { slot, stored } of missing) if (stored) of.ledger.free(slot);
  return missing.every(({ stored }) => stored);
}

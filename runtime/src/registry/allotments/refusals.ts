import type { Pool } from '../../postgres/pool.js';
import type { AdmissionScope } from '../routes/assignment.js';
import type { Placement, PlaceOutcome } from '../routes/place.js';
import type { Share } from './ledger.js';

// The current catalog revision, and which of these actions have a route already.
const STANDING = `
SELECT (SELECT revision FROM registry.catalog) AS revision,
  ARRAY(SELECT a.action_id FROM registry.assignments a JOIN unnest($1::text[], $2::text[]) AS i(action_id, tenant_id)
    USING (action_id, tenant_id) WHERE a.action_id = ANY($1)) AS known`;

/** Outcomes of placements that lack a share: refused for that only where there is no route and the catalog is the one that the share was chosen by. */
export async function refusals(pool: Pool, lacking: ReadonlyMap<Placement, Share>): Promise<[string, PlaceOutcome][]> {
  if (lacking.size === 0) return [];
  const { rows } = await pool.query<{ revision: number; known: string[] }>({
    name: 'registry.allotments.standing',
    text: STANDING,
    values: [
      [...lacking.keys()].map(({ action_id }) => action_id),
      [...lacking.keys()].map(({ tenant_id }) => tenant_id),
    ],
  });
  const known = new Set(rows[0]?.known);
  return [...lacking].map(([{ action_id, catalog_revision }, { scope }]) => {
    if (known.has(action_id)) return [action_id, 'known'];
    if (rows[0]?.revision !== catalog_revision) return [action_id, 'moved'];
    return [action_id, scope === 'replica' ? 'replica' : { full: scope as AdmissionScope['kind'] }];
  });
}

import type { Queryable } from '../../postgres/pool.js';
import type { AdmissionScope } from './assignment.js';

/** Makes the rows that admission scopes are counted in, before they are locked. */
export interface CounterMaker {
  make(db: Queryable, scopes: readonly AdmissionScope[]): Promise<void>;
}

// Makes the counters that are not there yet.
const MAKE = `
INSERT INTO registry.policy_counters (scope, key) SELECT DISTINCT kind, key FROM json_to_recordset($1::json) AS s(kind text, key text)
ORDER BY 1, 2 ON CONFLICT DO NOTHING`;

/** Keys that are remembered as made; counters are never removed. */
const MAX_KNOWN = 100_000;

/** Asks the database only for scopes that this process has not seen. */
export function counterMaker(): CounterMaker {
  const known = new Set<string>();
  const nameOf = ({ kind, key }: AdmissionScope): string => `${kind}\u001f${key}`;
  return {
    make: async (db, scopes) => {
      const unseen = scopes.filter((scope) => !known.has(nameOf(scope)));
      if (unseen.length === 0) return;
      await db.query({ name: 'registry.route.counters', text: MAKE, values: [JSON.stringify(unseen)] });
      if (known.size > MAX_KNOWN) known.clear();
      for (const scope of unseen) known.add(nameOf(scope));
    },
  };
}

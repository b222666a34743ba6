import type { Queryable } from '../../../postgres/pool.js';

const PLACE = 'SELECT place FROM runtime.settled_leases';

/** The stored place: leases that lapsed up to it, in milliseconds since the epoch, belong to actions that have ended. */
export async function settledLeases(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ place: number }>({ name: 'runtime.leases.settled', text: PLACE, values: [] });
  return rows[0]?.place ?? -1;
}

import type { Queryable } from '../../../postgres/pool.js';
import { StockExceeded } from '../../../protocol/errors.js';
import type { StockKind } from './kinds.js';
import type { StockLimits } from './limits.js';

const READ = `
SELECT coalesce(sum(records), 0)::bigint AS records, coalesce(sum(bytes), 0)::bigint AS bytes
FROM runtime.tenant_stock WHERE tenant_key = $1 AND kind = $2`;

/** The records of one kind that one tenant stores. */
export interface StockRef {
  readonly kind: StockKind;
  /** Absent or null: outside every tenant. */
  readonly tenantId?: string | null | undefined;
}

/**
 * Checks what a tenant has stored with the record that the transaction of `client` has just added, so that a refusal takes it back. The
 * database counts as rows come and go, for all gateways; what other transactions add at the same moment may exceed the bound.
 * Throws StockExceeded.
 */
export async function keepWithinStock(client: Queryable, limits: StockLimits, ref: StockRef): Promise<void> {
  const { records, bytes } = await readStock(client, ref);
  refuseAbove(limits, ref.kind, { records, bytes });
}

/** Checks that a tenant may store another record, where that is written later. Records that are written meanwhile may exceed the bound. Throws StockExceeded. */
export async function checkStock(db: Queryable, limits: StockLimits, ref: StockRef): Promise<void> {
  const { records, bytes } = await readStock(db, ref);
  refuseAbove(limits, ref.kind, { records: records + 1, bytes: bytes + 1 });
}

async function readStock(db: Queryable, { kind, tenantId }: StockRef): Promise<StockLimits> {
  const { rows } = await db.query<StockLimits>({
    name: 'runtime.stock.read',
    text: READ,
    values: [tenantId ?? '', kind],
  });
  return rows[0] as StockLimits;
}

function refuseAbove(limits: StockLimits, kind: StockKind, stored: StockLimits): void {
  const over = (['records', 'bytes'] as const).find((unit) => stored[unit] > limits[unit]);
  if (over === undefined) return;
  throw stockExceeded(kind, over, limits[over]);
}

/** The refusal of a tenant that has stored as many of a kind as it may. */
export function stockExceeded(kind: StockKind | 'actions', unit: 'records' | 'bytes', limit: number): StockExceeded {
  return new StockExceeded(
    `the tenant has stored the ${limit} ${unit} of ${kind.replaceAll('_', ' ')} that it may; wait until retention removes older ones, or have the operator raise the limit`,
    { details: { kind, unit, limit } },
  );
}

import type { Queryable } from '../../../../postgres/pool.js';
import { readTransaction, type TransactionRecord, tenantKeyOf } from '../record.js';

// Keeps a name of a tenant to one database transaction at a time, also where no row of it exists yet.
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`;

/** Locks a transaction of a tenant until the database transaction ends, and reads it. */
export async function lockTransaction(
  client: Queryable,
  tenantId: string | null,
  transactionId: string,
): Promise<TransactionRecord | undefined> {
  await lockName(client, 'transaction', tenantId, transactionId);
  return readTransaction(client, tenantId, transactionId, true);
}

/** Locks a compensation target of a tenant until the database transaction ends. */
export function lockCompensation(client: Queryable, tenantId: string | null, actionId: string): Promise<void> {
  return lockName(client, 'compensation', tenantId, actionId);
}

async function lockName(client: Queryable, kind: string, tenantId: string | null, name: string): Promise<void> {
  await client.query({
    name: 'runtime.transactions.name_lock',
    text: LOCK,
    values: [JSON.stringify(['aip', kind, tenantKeyOf(tenantId), name])],
  });
}

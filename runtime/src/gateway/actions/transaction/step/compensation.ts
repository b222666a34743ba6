import type { Queryable } from '../../../../postgres/pool.js';
import { readAction } from '../../record/read.js';
import { readTransaction } from '../record.js';
import type { CompensationTarget } from './checks.js';

/** The action that a compensation names, as it is in the compensation's own tenant; undefined when there is none. */
export async function readTarget(
  db: Queryable,
  tenantId: string | null,
  actionId: string,
): Promise<(CompensationTarget & { readonly principalId: string }) | undefined> {
  const found = await readAction(db, { actionId, tenantId });
  if (!found) return undefined;
  const { transaction_id } = found;
  const transaction = transaction_id === null ? undefined : await readTransaction(db, tenantId, transaction_id);
  return {
    capabilityId: found.capability_id,
    principalId: found.principal_id,
    state: found.state,
    result: found.result,
    completedAt: found.completed_at,
    transaction: transaction?.action_id === actionId ? transaction : undefined,
  };
}

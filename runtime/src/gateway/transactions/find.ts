import type { Queryable } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import { formatTime } from '../../protocol/time.js';
import type { TransactionView } from '../../protocol/types.js';
import { readTransactions, type TransactionRecord } from '../actions/transaction/record.js';
import type { Identity } from '../edge/identity.js';
import { authorizeQuery, ofOneTenant, reaches } from '../edge/query-authorization.js';
import { transactionChainId } from '../records/receipts/action-chain.js';
import { readChain } from '../records/receipts/read-chains.js';

/** A query for one transaction by exactly one of its ids. */
export interface TransactionQuery {
  readonly transactionId?: string | undefined;
  readonly planId?: string | undefined;
  readonly actionId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly includeResult?: boolean | undefined;
  readonly includeReceipts?: boolean | undefined;
}

// The transactions of an action: the one that it is a step of, or that it holds.
const OF_ACTION = `t.action_id = $1 OR (t.tenant_key, t.transaction_id) IN (
  SELECT COALESCE(a.tenant_id, ''), a.transaction_id FROM runtime.actions a WHERE a.action_id = $1)`;

/**
 * One transaction that the caller may read (scope transaction:read, its owner, its tenant). Throws `query.conflict` unless exactly
 * one id is given, NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, QueryInvalid for
 * an id that several tenants of the caller's reach use, and `transaction.not_found` also for one that the caller may not see.
 */
export async function findTransaction(
  db: Queryable,
  identity: Identity,
  query: TransactionQuery,
  nowMs: number,
): Promise<TransactionView> {
  const { transactionId, planId, actionId, tenantId } = query;
  const selectors = [transactionId, planId, actionId].filter((id) => id !== undefined);
  if (selectors.length !== 1) throw new AipError('query.conflict');
  const access = authorizeQuery(identity, { object: 'transaction', operation: 'read', tenantId }, nowMs);
  const found = await candidates(db, query);
  const reached = found.filter(({ tenant_id, principal_id }) =>
    reaches(access, { tenantId: tenant_id, principalId: principal_id }),
  );
  const [visible] = ofOneTenant(reached, selectors[0] as string).toSorted((a, b) => b.updated_at - a.updated_at);
  if (!visible) throw new AipError('transaction.not_found', undefined, { details: { id: selectors[0] } });
  return transactionView(db, visible, query);
}

function candidates(
  db: Queryable,
  { transactionId, planId, actionId }: TransactionQuery,
): Promise<TransactionRecord[]> {
  if (transactionId !== undefined)
    return readTransactions(db, 'runtime.transactions.by_id', 't.transaction_id = $1', [transactionId]);
  if (planId !== undefined) return readTransactions(db, 'runtime.transactions.of_plan', 't.plan_id = $1', [planId]);
  return readTransactions(db, 'runtime.transactions.of_action', OF_ACTION, [actionId]);
}

/** The view of a transaction, with what the caller requested. */
export async function transactionView(
  db: Queryable,
  record: TransactionRecord,
  include: Pick<TransactionQuery, 'includeResult' | 'includeReceipts'>,
): Promise<TransactionView> {
  const chainId = transactionChainId(record.transaction_id);
  const chain = include.includeReceipts ? await readChain(db, { chainId, tenantId: record.tenant_id }) : undefined;
  return {
    transaction_id: record.transaction_id,
    action_id: record.action_id,
    capability_id: record.capability_id,
    transaction: { ...record.request.transaction, mode: record.mode, transaction_id: record.transaction_id },
    status: record.status,
    ...(record.plan && { plan: record.plan }),
    ...(include.includeResult && record.result && { result: record.result }),
    ...(chain && { receipt_chain: chain }),
    created_at: formatTime(record.created_at),
    updated_at: formatTime(record.updated_at),
  };
}

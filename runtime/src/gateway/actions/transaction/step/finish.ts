import type { Queryable } from '../../../../postgres/pool.js';
import { parseTime } from '../../../../protocol/time.js';
import { actionEvent, submitterOf } from '../../../events/log/action-event.js';
import type { NewEvent } from '../../../events/log/append.js';
import { appendReceipts } from '../../../records/receipts/append.js';
import {
  insertTransaction,
  newTransaction,
  readTransactionOfPlan,
  type TransactionChange,
  type TransactionRecord,
  tenantKeyOf,
  updateTransaction,
} from '../record.js';
import { lookAheadProblem } from './checks.js';
import type { TransactionEnd } from './end.js';
import { receiptOf } from './evidence.js';
import { lockTransaction } from './lock.js';
import { outcomeOf, outcomeOfReconciliation } from './outcome.js';

const UNDER_WAY: ReadonlySet<string> = new Set(['prepared', 'committing', 'compensating']);
const UNDECIDED: ReadonlySet<string> = new Set(['outcome_unknown', 'reconciling']);

/**
 * Writes what the ends of steps make of their transactions, in the transaction of `client` that ends their actions, and returns
 * the events. A step that its transaction does not name any more changes nothing.
 */
export async function finishTransactions(client: Queryable, ends: readonly TransactionEnd[]): Promise<NewEvent[]> {
  // In one order, so that two gateways never wait for each other.
  const ordered = [...ends].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const events: NewEvent[] = [];
  for (const end of ordered) {
    const record = await finish(client, end);
    if (!record) continue;
    const actor = submitterOf(end.record);
    await appendReceipts(client, { tenantId: record.tenant_id, principalId: record.principal_id }, [
      receiptOf(record, actor, end.record.correlation_id),
    ]);
    const { transaction_id, capability_id, status, plan_id } = record;
    const shared = { transaction_id, action_id: end.record.action_id, capability_id };
    if (status === 'planned')
      events.push(actionEvent(end.record, 'aip.transaction.planned', actor, { ...shared, plan_id }, end.atMs));
    events.push(actionEvent(end.record, 'aip.transaction.result', actor, { ...shared, status }, end.atMs));
  }
  return events;
}

function keyOf({ record, step }: TransactionEnd): string {
  return JSON.stringify([tenantKeyOf(record.tenant_id), step.transaction_id]);
}

async function finish(client: Queryable, end: TransactionEnd): Promise<TransactionRecord | undefined> {
  const { record, step } = end;
  const found = await lockTransaction(client, record.tenant_id, step.transaction_id);
  if (step.mode === 'dry_run' || step.mode === 'plan') return lookedAhead(client, found, end);
  if (!found) return undefined;
  const { result, atMs } = end;
  if (step.mode === 'reconcile') {
    if (found.reconcile_action_id !== record.action_id || !UNDECIDED.has(found.status)) return undefined;
    const outcome = outcomeOfReconciliation(found, result, atMs);
    const told = outcome.status === 'reconciled' ? { result } : {};
    return updateTransaction(client, found, { ...keptEvidence(found, outcome), ...told, updated_at: atMs });
  }
  if (found.action_id !== record.action_id || !UNDER_WAY.has(found.status)) return undefined;
  const outcome = outcomeOf(step.mode, result, atMs);
  return updateTransaction(client, found, { ...keptEvidence(found, outcome), result, updated_at: atMs });
}

/** A provider operation that is stored is never replaced by another one. */
function keptEvidence<C extends TransactionChange>(found: TransactionRecord, change: C): C {
  return found.provider_operation === null ? change : { ...change, provider_operation: found.provider_operation };
}

async function lookedAhead(
  client: Queryable,
  found: TransactionRecord | undefined,
  { record, step, result, plan, atMs }: TransactionEnd,
): Promise<TransactionRecord | undefined> {
  const { action_id, capability_id, principal_id, principal_kind, request } = record;
  const taken = { action: request, principalId: principal_id, principalKind: principal_kind, acceptedAt: atMs };
  if (lookAheadProblem(found, taken)) return undefined;
  const completed = result.status === 'completed';
  if (!completed && result.status !== 'failed') return undefined;
  // A plan that stands is not lost with a further one that fails.
  if (found?.status === 'planned' && !completed) return undefined;
  const other = plan && (await readTransactionOfPlan(client, record.tenant_id, plan.plan_id));
  if (other && other.transaction_id !== step.transaction_id) return undefined;
  const change = {
    action_id,
    capability_id,
    mode: step.mode,
    status: completed
      ? step.mode === 'plan'
        ? ('planned' as const)
        : ('dry_run_completed' as const)
      : ('failed' as const),
    request,
    plan: plan ?? null,
    plan_id: plan?.plan_id ?? null,
    plan_expires_at: plan?.expires_at === undefined ? null : parseTime(plan.expires_at),
    result,
    updated_at: atMs,
  };
  if (found) return updateTransaction(client, found, change);
  const made = newTransaction(record, step.transaction_id, { ...change, created_at: atMs });
  await insertTransaction(client, made);
  return made;
}

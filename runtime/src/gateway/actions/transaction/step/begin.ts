import type { Pool, Queryable } from '../../../../postgres/pool.js';
import type { Clock } from '../../../../protocol/clock.js';
import { AipError } from '../../../../protocol/errors.js';
import { plainJson, toNumber } from '../../../../protocol/json.js';
import type { Action, ProviderOperationRef } from '../../../../protocol/types.js';
import { actionEvent, submitterOf } from '../../../events/log/action-event.js';
import { appendEvents } from '../../../events/log/append.js';
import { appendReceipts } from '../../../records/receipts/append.js';
import type { ActionRecord } from '../../record/record.js';
import {
  insertTransaction,
  newTransaction,
  readTransactionOfPlan,
  readTransactions,
  type TransactionBegin,
  type TransactionRecord,
  tenantKeyOf,
  updateTransaction,
} from '../record.js';
import {
  commitProblem,
  compensateProblem,
  executeProblem,
  lookAheadProblem,
  reconcileProblem,
  type Step,
} from './checks.js';
import { readTarget } from './compensation.js';
import { receiptOf } from './evidence.js';
import { lockCompensation, lockTransaction } from './lock.js';

/** What follows the begin of a step. */
export type Begun =
  /** The action runs, in this form. */
  | { readonly kind: 'run'; readonly record: ActionRecord }
  /** Nothing is changed; the capability's handler is asked first where the contract says so. */
  | { readonly kind: 'look_ahead'; readonly asksHandler: boolean };

/** What the begin of a step needs. */
export interface BeginDeps {
  readonly pool: Pool;
  readonly clock: Clock;
}

const HANDLER_FIDELITIES: ReadonlySet<string> = new Set(['downstream_validation', 'full_simulation']);

/**
 * Begins the step that an action takes in its transaction, in one commit: from here on the transaction is held by this action
 * alone. A step that this action began before, on a worker that is gone, is continued. Throws the policy errors of
 * docs/protocol/records.md#transactions.
 */
export function beginStep(deps: BeginDeps, record: ActionRecord): Promise<Begun> {
  const mode = record.request.transaction?.mode;
  return deps.pool.tx(async (client) => {
    switch (mode) {
      case 'dry_run':
      case 'plan':
        return lookAhead(client, record);
      case 'commit':
        return commit(client, record, deps.clock());
      case 'compensate':
        return compensate(client, record, deps.clock());
      case 'reconcile':
        return reconcile(client, record, deps.clock());
      default:
        return execute(client, record, deps.clock());
    }
  });
}

async function lookAhead(client: Queryable, record: ActionRecord): Promise<Begun> {
  const { transaction } = record.request;
  const found = await lockTransaction(client, record.tenant_id, transactionIdOf(record));
  refuseIf(lookAheadProblem(found, stepOf(record)));
  if (transaction?.mode === 'plan') {
    const planId = transaction.plan_id ?? `plan:${transactionIdOf(record)}`;
    const other = await readTransactionOfPlan(client, record.tenant_id, planId);
    if (other && other.transaction_id !== found?.transaction_id)
      throw new AipError('transaction.execute_state_invalid', 'another transaction has a plan of this plan_id');
  }
  const fidelity = record.plan.transaction?.dry_run_fidelity;
  return { kind: 'look_ahead', asksHandler: fidelity !== undefined && HANDLER_FIDELITIES.has(fidelity) };
}

async function commit(client: Queryable, record: ActionRecord, nowMs: number): Promise<Begun> {
  const found = await lockTransaction(client, record.tenant_id, transactionIdOf(record));
  if (!found) throw new AipError('transaction.plan_not_found');
  if (isHeldBy(found, record, 'committing')) return { kind: 'run', record };
  refuseIf(commitProblem(found, stepOf(record)));
  const change = {
    action_id: record.action_id,
    mode: 'commit',
    status: 'committing',
    request: record.request,
  } as const;
  await started(client, record, await updateTransaction(client, found, { ...change, updated_at: nowMs }), nowMs);
  return { kind: 'run', record };
}

async function execute(client: Queryable, record: ActionRecord, nowMs: number): Promise<Begun> {
  const found = await lockTransaction(client, record.tenant_id, transactionIdOf(record));
  if (found && isHeldBy(found, record, 'committing')) return { kind: 'run', record };
  refuseIf(executeProblem(found, stepOf(record)));
  const { action_id, capability_id, request } = record;
  const change = {
    action_id,
    capability_id,
    mode: 'execute',
    status: 'committing',
    request,
    updated_at: nowMs,
  } as const;
  await started(client, record, await written(client, found, record, change), nowMs);
  return { kind: 'run', record };
}

async function compensate(client: Queryable, record: ActionRecord, nowMs: number): Promise<Begun> {
  const targetId = record.request.transaction?.compensation_for as string;
  await lockCompensation(client, record.tenant_id, targetId);
  const found = await lockTransaction(client, record.tenant_id, transactionIdOf(record));
  const target = await readTarget(client, record.tenant_id, targetId);
  const run: Begun = { kind: 'run', record: compensating(record, target?.capabilityId, target?.result) };
  if (found && isHeldBy(found, record, 'compensating')) return run;
  if (found)
    throw new AipError(
      'transaction.execute_state_invalid',
      'a compensation has a transaction_id of its own; leave it out',
    );
  const window = record.plan.transaction?.compensation?.compensation_window_ms;
  refuseIf(compensateProblem(target, stepOf(record), window === undefined ? undefined : toNumber(window)));
  const others = await readTransactions(client, 'runtime.transactions.compensations', COMPENSATIONS, [
    tenantKeyOf(record.tenant_id),
    targetId,
  ]);
  if (others.length > 0) throw new AipError('transaction.commit_already_claimed', 'the action is compensated already');
  const { action_id, capability_id, request } = record;
  const change = {
    action_id,
    capability_id,
    mode: 'compensate',
    status: 'compensating',
    request,
    compensation_for: targetId,
    updated_at: nowMs,
  } as const;
  await started(client, record, await written(client, undefined, record, change), nowMs);
  return run;
}

// Compensations of an action that are done, or that may be.
const COMPENSATIONS = `t.tenant_key = $1 AND t.compensation_for = $2
  AND (t.status IN ('compensating', 'compensated', 'outcome_unknown', 'reconciling') OR (t.status = 'reconciled' AND t.effect))`;

async function reconcile(client: Queryable, record: ActionRecord, nowMs: number): Promise<Begun> {
  const transactionId = record.request.transaction?.transaction_id;
  if (transactionId === undefined) throw new AipError('transaction.reconciliation_id_required');
  const found = await lockTransaction(client, record.tenant_id, transactionId);
  if (!found) throw new AipError('transaction.not_found');
  refuseIf(reconcileProblem(found, record.action_id));
  const { provider_operation: given, reconciliation_cursor: cursor } = record.plan.transaction ?? {};
  if (given && found.provider_operation && !sameOperation(given, found.provider_operation))
    throw new AipError('transaction.execute_state_invalid', 'the transaction has another provider_operation');
  const current = await updateTransaction(client, found, {
    status: 'reconciling',
    reconcile_action_id: record.action_id,
    reconcile_after: null,
    provider_operation: found.provider_operation ?? given ?? null,
    reconciliation_cursor: cursor ?? found.reconciliation_cursor,
    updated_at: nowMs,
  });
  const data = {
    transaction_id: transactionId,
    action_id: record.action_id,
    provider_operation: current.provider_operation,
  };
  await appendEvents(client, [
    actionEvent(record, 'aip.transaction.reconciliation_started', submitterOf(record), data, nowMs),
  ]);
  return { kind: 'run', record: reconciling(record, current) };
}

/** The record with which the capability that undoes the target's effect is asked: it sees the target's result. */
function compensating(record: ActionRecord, originalId: string | undefined, originalResult: unknown): ActionRecord {
  const { request, plan } = record;
  const capabilityId = plan.transaction?.compensation?.compensation_capability_id ?? request.capability_id;
  const compensation = {
    original_capability_id: originalId ?? request.capability_id,
    compensation_capability_id: capabilityId,
    compensation_for: request.transaction?.compensation_for,
    original_result: originalResult ?? null,
  };
  return {
    ...record,
    capability_id: capabilityId,
    request: { ...withContext(request, { compensation }), capability_id: capabilityId },
  };
}

/** The record with which the provider is asked about a transaction's effect: the action that has it, under this action's id. */
function reconciling(record: ActionRecord, transaction: TransactionRecord): ActionRecord {
  const {
    approval: _approval,
    callback: _callback,
    mode: _mode,
    timeout_ms: _timeout,
    ...original
  } = transaction.request;
  const { provider_operation, reconciliation_cursor } = transaction;
  const reconciliation = {
    action_id: transaction.action_id,
    ...(provider_operation && { provider_operation }),
    ...(reconciliation_cursor !== null && { cursor: reconciliation_cursor }),
  };
  const action = {
    ...original,
    id: record.action_id,
    transaction: { ...record.request.transaction, mode: 'reconcile' },
  };
  return {
    ...record,
    capability_id: original.capability_id,
    request: withContext(action as Action, { reconciliation }),
  };
}

/** The action with facts of this server for its handler; they replace whatever its sender wrote in their place. */
function withContext(action: Action, facts: Record<string, unknown>): Action {
  const given = plainJson(action.memory_context);
  const context = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  return { ...action, memory_context: { ...context, _aip: facts } };
}

/** Writes the begin of a step: a new transaction, or a change of the one that is there. */
function written(
  client: Queryable,
  found: TransactionRecord | undefined,
  record: ActionRecord,
  change: TransactionBegin,
): Promise<TransactionRecord> {
  if (found) return updateTransaction(client, found, change);
  const made = newTransaction(record, transactionIdOf(record), { ...change, created_at: change.updated_at });
  return insertTransaction(client, made).then(() => made);
}

async function started(
  client: Queryable,
  record: ActionRecord,
  transaction: TransactionRecord,
  nowMs: number,
): Promise<void> {
  const actor = submitterOf(record);
  const { transaction_id, plan_id, capability_id, compensation_for } = transaction;
  const { action_id } = record;
  await appendReceipts(client, { tenantId: transaction.tenant_id, principalId: transaction.principal_id }, [
    receiptOf(transaction, actor, record.correlation_id),
  ]);
  const event =
    compensation_for === null
      ? actionEvent(
          record,
          'aip.transaction.commit_started',
          actor,
          { transaction_id, plan_id, action_id, capability_id },
          nowMs,
        )
      : actionEvent(
          record,
          'aip.transaction.compensation_started',
          actor,
          { transaction_id, action_id, capability_id, compensation_for },
          nowMs,
        );
  await appendEvents(client, [event]);
}

function isHeldBy(found: TransactionRecord, record: ActionRecord, status: TransactionRecord['status']): boolean {
  return found.action_id === record.action_id && found.status === status;
}

function stepOf(record: ActionRecord): Step {
  return {
    action: record.request,
    principalId: record.principal_id,
    principalKind: record.principal_kind,
    acceptedAt: record.accepted_at,
  };
}

function transactionIdOf(record: ActionRecord): string {
  return record.request.transaction?.transaction_id as string;
}

function sameOperation(a: ProviderOperationRef, b: ProviderOperationRef): boolean {
  return a.provider === b.provider && a.operation_id === b.operation_id;
}

function refuseIf(problem: AipError | undefined): void {
  if (problem) throw problem;
}

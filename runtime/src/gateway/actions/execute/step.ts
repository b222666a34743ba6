import { actionRef } from '../../../protocol/content/action-ref.js';
import { AipError, protocolErrorOf, StorageUnavailable } from '../../../protocol/errors.js';
import type { TransactionPlan } from '../../../protocol/types.js';
import { retryWhileUnavailable } from '../../../transport/process/retry-while-unavailable.js';
import { submitterOf } from '../../events/log/action-event.js';
import { approvalNeeded } from '../approval/authority/needed.js';
import type { ActionRecord } from '../record/record.js';
import { beginStep } from '../transaction/step/begin.js';
import { dryRunResult, planOf, planResult } from '../transaction/step/plan.js';
import { type AttemptOutcome, attemptAction } from './attempt.js';
import type { ExecutionDeps } from './execution-deps.js';

/** How an attempt ended, with the plan that it made. */
export type StepOutcome = AttemptOutcome & { readonly plan?: TransactionPlan };

/**
 * Runs one attempt of an action, as a step of its transaction where it has one: a step that its transaction refuses ends with the
 * refusal, one that only looks ahead asks the handler where its contract says so. Throws what attemptAction throws.
 */
export async function runStep(deps: ExecutionDeps, record: ActionRecord): Promise<StepOutcome> {
  const { transaction } = record.request;
  if (transaction === undefined || record.state === 'cancelling') return attemptAction(deps, record);
  let begun: Awaited<ReturnType<typeof beginStep>>;
  try {
    begun = await retryWhileUnavailable(() => beginStep(deps, record));
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    return { result: { action_id: record.action_id, status: 'failed', error: protocolErrorOf(error, 'aip-runtime') } };
  }
  if (begun.kind === 'look_ahead') return lookAhead(deps, record, begun.asksHandler);
  if (transaction.mode === 'reconcile') return reconcile(deps, begun.record);
  return attemptAction(deps, begun.record);
}

async function lookAhead(deps: ExecutionDeps, record: ActionRecord, asksHandler: boolean): Promise<StepOutcome> {
  const known = await retryWhileUnavailable(() => deps.capabilities.find(record.tenant_id, record.capability_id));
  if (!known) {
    const error = new AipError('resource.not_found', 'no such capability').toProtocolError('aip-runtime');
    return { result: { action_id: record.action_id, status: 'failed', error } };
  }
  const attempt = asksHandler ? await attemptAction(deps, record) : undefined;
  if (attempt && attempt.result.status !== 'completed') return attempt;
  const { request: action } = record;
  const look = {
    action,
    transactionId: action.transaction?.transaction_id as string,
    capability: known.capability,
    approvalRequired: approvalNeeded(known.capability),
    actor: submitterOf(record),
    handled: attempt?.result,
  };
  if (action.transaction?.mode === 'dry_run') return { ...attempt, result: dryRunResult(look) };
  const plan = planOf(look, deps.clock());
  return { ...attempt, result: planResult(action, plan), plan };
}

/** Asks the provider once a place is free; the lease is kept while it waits. */
async function reconcile(deps: ExecutionDeps, record: ActionRecord): Promise<StepOutcome> {
  const waiting = new AbortController();
  const lease = { ...actionRef(record), leaseId: record.lease_id as string };
  let cancelled = false;
  const hold = deps.keeper.hold(lease, (reason) => {
    cancelled = reason === 'cancel';
    waiting.abort();
  });
  // An attempt that was stopped while it waited ends at once, as one that is stopped while it runs.
  const release = await deps.reconciliations.acquire(waiting.signal).catch(() => undefined);
  hold.release();
  try {
    return await attemptAction(deps, cancelled ? { ...record, cancel_requested: true } : record);
  } finally {
    release?.();
  }
}

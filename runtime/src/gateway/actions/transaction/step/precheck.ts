import type { Queryable } from '../../../../postgres/pool.js';
import { AipError } from '../../../../protocol/errors.js';
import { toNumber } from '../../../../protocol/json.js';
import type { Action, Capability } from '../../../../protocol/types.js';
import type { Identity } from '../../../edge/identity.js';
import { readAction } from '../../record/read.js';
import { readTransaction, readTransactionOfPlan } from '../record.js';
import {
  commitProblem,
  compensateProblem,
  executeProblem,
  lookAheadProblem,
  reconcileProblem,
  type Step,
} from './checks.js';
import { readTarget } from './compensation.js';

/** A step that may be taken as things are, in the form in which it is accepted; or why not. */
export type CheckedStep = { readonly action: Action } | { readonly refusal: AipError };

/**
 * Checks a step before its action is accepted, so that no approval is requested for what cannot be done; the begin of the step
 * decides. A commit takes the transaction id of its plan. An action that is repeated is left as it is.
 */
export async function checkStep(
  db: Queryable,
  identity: Identity,
  action: Action,
  capability: Capability,
  nowMs: number,
): Promise<CheckedStep> {
  const { transaction } = action;
  const tenantId = identity.tenantId ?? null;
  if (transaction === undefined || (await readAction(db, { actionId: action.id, tenantId }))) return { action };
  const step: Step = {
    action,
    principalId: identity.principal.id,
    principalKind: identity.principal.kind,
    acceptedAt: nowMs,
  };
  const answer = (problem: AipError | undefined): CheckedStep => (problem ? { refusal: problem } : { action });
  const named = transaction.transaction_id;
  switch (transaction.mode) {
    case 'commit': {
      const found = await readTransactionOfPlan(db, tenantId, transaction.plan_id as string);
      if (!found) return { refusal: new AipError('transaction.plan_not_found') };
      const problem = commitProblem(found, step);
      if (problem) return { refusal: problem };
      return { action: { ...action, transaction: { ...transaction, transaction_id: found.transaction_id } } };
    }
    case 'compensate': {
      const target = await readTarget(db, tenantId, transaction.compensation_for as string);
      if (target && !mayChange(identity, target.principalId))
        return { refusal: new AipError('transaction.compensation_target_not_completed') };
      const window = capability.contract?.compensation?.compensation_window_ms;
      return answer(compensateProblem(target, step, window === undefined ? undefined : toNumber(window)));
    }
    case 'reconcile': {
      const found = named === undefined ? undefined : await readTransaction(db, tenantId, named);
      if (!found || !mayChange(identity, found.principal_id)) return { refusal: new AipError('transaction.not_found') };
      return answer(reconcileProblem(found, action.id));
    }
    case 'dry_run':
    case 'plan':
      return answer(
        named === undefined ? undefined : lookAheadProblem(await readTransaction(db, tenantId, named), step),
      );
    default:
      return answer(named === undefined ? undefined : executeProblem(await readTransaction(db, tenantId, named), step));
  }
}

/** Whether a caller may act on what a principal of its tenant did. */
function mayChange({ principal, scopes }: Identity, ownerId: string): boolean {
  return principal.id === ownerId || scopes.has('transaction:write:any') || scopes.has('*');
}

import { AipError } from '../../../protocol/errors.js';
import type { Action, Capability } from '../../../protocol/types.js';
import type { ActionMode } from '../record/record.js';
import { isEffective } from '../transaction/terms.js';

/** A rule of the capability's contract: the error when the action breaks it, else undefined. */
type ContractCheck = (action: Action, mode: ActionMode, capability: Capability) => AipError | undefined;

const idempotencyKeyGiven: ContractCheck = (action, _mode, { contract }) =>
  contract?.idempotency.requirement === 'required' &&
  action.idempotency_key === undefined &&
  isEffective(action.transaction?.mode)
    ? new AipError('idempotency.required', 'the capability requires an idempotency key')
    : undefined;

const modeSupported: ContractCheck = (_action, mode, { contract }) => {
  if (!contract || contract.execution[`supports_${mode}`]) return undefined;
  return new AipError('execution.mode_unsupported', `the capability does not support the mode ${mode}`);
};

/** Promises of a contract under which an effect may be undone. */
const COMPENSABLE: ReadonlySet<string | undefined> = new Set(['supported', 'best_effort']);

const transactionSupported: ContractCheck = (action, _mode, { contract }) => {
  const transaction = action.transaction;
  if (transaction === undefined) return undefined;
  if (transaction.mode === 'rollback_not_supported') return new AipError('transaction.rollback_not_supported');
  if (!contract?.transaction) return new AipError('transaction.unsupported', 'the capability supports no transactions');
  if (!contract.transaction.supported_modes?.includes(transaction.mode))
    return new AipError(
      'transaction.mode_unsupported',
      `the capability does not support the transaction mode ${transaction.mode}`,
    );
  if (
    transaction.mode === 'commit' &&
    contract.transaction.requires_plan_before_commit &&
    transaction.plan_id === undefined
  )
    return new AipError('transaction.plan_required', 'the capability commits only what was planned before');
  if (transaction.mode === 'compensate' && !COMPENSABLE.has(contract.compensation?.mode))
    return new AipError('transaction.compensation_unsupported', 'the capability has no compensation');
  if (transaction.mode === 'reconcile' && transaction.transaction_id === undefined)
    return new AipError('transaction.reconciliation_id_required');
  return undefined;
};

const CHECKS: readonly ContractCheck[] = [idempotencyKeyGiven, modeSupported, transactionSupported];

/** The first rule of the contract that the action breaks (docs/protocol/actions.md#order-of-acceptance), or undefined when it keeps them all. */
export function contractRefusal(action: Action, mode: ActionMode, capability: Capability): AipError | undefined {
  for (const check of CHECKS) {
    const refusal = check(action, mode, capability);
    if (refusal) return refusal;
  }
  return undefined;
}

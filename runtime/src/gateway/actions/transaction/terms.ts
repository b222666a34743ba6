import type {
  Action,
  Capability,
  CompensationContract,
  DryRunFidelity,
  ProviderOperationRef,
} from '../../../protocol/types.js';
import { approvalNeeded, compensationNeedsApproval } from '../approval/authority/needed.js';
import type { TransactionMode } from './record.js';

/** What a transaction's step is bound to; fixed when its action is accepted. */
export interface TransactionTerms {
  readonly dry_run_fidelity?: DryRunFidelity;
  readonly compensation?: CompensationContract;
  /** Given with a transaction_request, for a reconciliation. */
  readonly provider_operation?: ProviderOperationRef;
  readonly reconciliation_cursor?: string;
  readonly reason?: string;
}

/** What a transaction_request adds to its action. */
export type RequestedTerms = Pick<TransactionTerms, 'provider_operation' | 'reconciliation_cursor' | 'reason'>;

/** Whether a step of this mode may change something at the provider; no mode is an ordinary action. */
export function isEffective(mode: TransactionMode | undefined): boolean {
  return mode !== 'dry_run' && mode !== 'plan' && mode !== 'reconcile';
}

/** Whether a human has to decide before an action may take its step: never before one that only looks. */
export function stepNeedsApproval(action: Action, capability: Capability): boolean {
  const mode = action.transaction?.mode;
  if (!isEffective(mode)) return false;
  return approvalNeeded(capability) || (mode === 'compensate' && compensationNeedsApproval(capability));
}

/** The terms of an action's step under its capability's contract; undefined for an action without a transaction. */
export function transactionTerms(
  action: Action,
  capability: Capability,
  requested: RequestedTerms = {},
): TransactionTerms | undefined {
  if (action.transaction === undefined) return undefined;
  const { transaction, compensation } = capability.contract ?? {};
  return {
    ...(transaction && { dry_run_fidelity: transaction.dry_run_fidelity }),
    ...(compensation && { compensation }),
    ...requested,
  };
}

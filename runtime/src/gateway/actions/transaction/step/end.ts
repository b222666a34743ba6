import type { Action, ActionResult, TransactionPlan } from '../../../../protocol/types.js';
import type { ActionRecord } from '../../record/record.js';

/** The end of an action that is a step of a transaction, to be written in the commit that ends the action. */
export interface TransactionEnd {
  readonly record: Pick<
    ActionRecord,
    | 'action_id'
    | 'tenant_id'
    | 'principal_id'
    | 'principal_kind'
    | 'session_id'
    | 'correlation_id'
    | 'capability_id'
    | 'request'
  >;
  readonly step: NonNullable<Action['transaction']> & { readonly transaction_id: string };
  readonly result: ActionResult;
  /** Of a step that planned. */
  readonly plan?: TransactionPlan | undefined;
  readonly atMs: number;
}

/** The end of a record's step, or undefined when the action has no transaction. */
export function transactionEnd(
  record: TransactionEnd['record'],
  end: { readonly result: ActionResult; readonly plan?: TransactionPlan | undefined },
  atMs: number,
): TransactionEnd | undefined {
  const { transaction } = record.request;
  if (transaction?.transaction_id === undefined) return undefined;
  const step = { ...transaction, transaction_id: transaction.transaction_id };
  return { record, step, result: end.result, plan: end.plan, atMs };
}

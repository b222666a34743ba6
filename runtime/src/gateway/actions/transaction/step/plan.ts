import { planInputHash } from '../../../../protocol/hashes.js';
import { formatTime } from '../../../../protocol/time.js';
import type { Action, ActionResult, Capability, Principal, TransactionPlan } from '../../../../protocol/types.js';

/** How long a plan may be committed, in milliseconds (docs/protocol/records.md#transactions). */
export const PLAN_TTL_MS = 15 * 60_000;

/** A step that looks ahead: the action with its transaction id, its capability as it is now, and who takes the step. */
export interface LookAhead {
  readonly action: Action;
  readonly transactionId: string;
  readonly capability: Capability;
  readonly approvalRequired: boolean;
  readonly actor: Principal;
  /** What the capability's handler said, where it was asked. */
  readonly handled?: ActionResult | undefined;
}

/** The plan that a step in mode plan makes (docs/protocol/records.md#transactions). Its input is kept as a hash alone where it has to be redacted. */
export function planOf(look: LookAhead, nowMs: number): TransactionPlan {
  const { action, transactionId, capability, actor, handled } = look;
  const { contract } = capability;
  const planId = action.transaction?.plan_id ?? `plan:${transactionId}`;
  const hash = planInputHash(action);
  const redacted = contract?.data.redaction_required ?? false;
  return {
    plan_id: planId,
    transaction_id: transactionId,
    action_id: action.id,
    capability_id: action.capability_id,
    transaction: { mode: 'plan', transaction_id: transactionId, plan_id: planId },
    planned_by: actor,
    input_hash: hash,
    input_snapshot: redacted ? { redacted, hash } : { redacted, hash, value: action.input },
    ...(contract?.side_effects && { predicted_side_effects: contract.side_effects }),
    approval_required: look.approvalRequired,
    ...(contract?.approval && { approval_policy: contract.approval }),
    ...(contract?.compensation && { compensation: contract.compensation }),
    ...(contract?.transaction && { dry_run_fidelity: contract.transaction.dry_run_fidelity }),
    ...(action.identity && { identity: action.identity }),
    created_at: formatTime(nowMs),
    expires_at: formatTime(nowMs + PLAN_TTL_MS),
    metadata: {
      commit_requirements: { matching_input_hash: true, matching_capability: true, planned_status: 'planned' },
      ...(contract && { data: contract.data, idempotency: contract.idempotency }),
      ...(contract?.sla && { service_level: contract.sla }),
      ...(handled && { connector_validation: validationOf(handled) }),
    },
  };
}

/** The result of a step in mode plan. */
export function planResult(action: Action, plan: TransactionPlan): ActionResult {
  return { action_id: action.id, status: 'completed', output: { transaction: 'plan', plan } };
}

/** The result of a step in mode dry_run (docs/protocol/records.md#transactions). */
export function dryRunResult(look: LookAhead): ActionResult {
  const { action, transactionId, capability, handled } = look;
  const { contract } = capability;
  return {
    action_id: action.id,
    status: 'completed',
    output: {
      transaction: 'dry_run',
      transaction_id: transactionId,
      action_id: action.id,
      capability_id: action.capability_id,
      input_hash: planInputHash(action),
      requires_human_approval: look.approvalRequired,
      ...(contract?.approval && { approval_policy: contract.approval }),
      ...(contract && { side_effects: contract.side_effects ?? [], idempotency: contract.idempotency }),
      ...(contract?.transaction && { dry_run_fidelity: contract.transaction.dry_run_fidelity }),
      ...(contract?.compensation && { compensation: contract.compensation }),
      ...(handled && { handler_result: handled }),
    },
  };
}

function validationOf({ status, output, message, usage, receipt }: ActionResult): Record<string, unknown> {
  const said = { status, output, message, usage, receipt };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

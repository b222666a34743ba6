import type { CapabilityContract } from '../../protocol/types.js';

/** The contract of a write that a person must approve first; `sideEffects` beside the network's. */
export function approvedWrite(
  sideEffects: NonNullable<CapabilityContract['side_effects']>,
  retrySafety: CapabilityContract['execution']['retry_safety'],
): CapabilityContract {
  return {
    side_effects: [...sideEffects, 'external_network'],
    idempotency: {
      requirement: 'required',
      collision_behavior: 'revalidate_input_hash',
      key_scope: 'external_account',
      ttl_ms: 86_400_000,
    },
    execution: {
      supports_sync: true,
      supports_async: true,
      supports_streaming: false,
      supports_cancel: true,
      supports_retry: retrySafety === 'safe',
      expected_completion: 'sync',
      retry_safety: retrySafety,
    },
    data: { sensitivity: 'restricted', contains_pii: true, redaction_required: true },
    approval: {
      required: true,
      reason: 'a customer sees the effect',
      approver_selector: { type: 'tenant_policy' },
      ttl_ms: 900_000,
      evidence_requirements: ['reason', 'input_snapshot', 'policy_decision'],
      minimum_distinct_principals: 1,
      separation_of_duties: { requester_must_differ: true, operator_must_differ: false, allow_self_approval: false },
    },
    compensation: { mode: 'rollback_not_supported', requires_approval: true },
    sla: { expected_latency_ms: 3000, timeout_ms: 30_000, async_expected: false, max_queue_delay_ms: 5000 },
  };
}

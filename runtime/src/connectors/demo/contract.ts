import type { CapabilityContract, ExecutionContract } from '../../protocol/types.js';

/** A full contract for a harmless capability that may run again; `over` replaces members, those of `execution` one by one. */
export function harmless(
  over: Partial<Omit<CapabilityContract, 'execution'>> & { execution?: Partial<ExecutionContract> } = {},
): CapabilityContract {
  const { execution, ...rest } = over;
  return {
    side_effects: ['read'],
    idempotency: { requirement: 'optional', collision_behavior: 'return_original_result', key_scope: 'principal' },
    data: { sensitivity: 'public', contains_pii: false, redaction_required: false },
    sla: { expected_latency_ms: 50, timeout_ms: 60_000, async_expected: false },
    ...rest,
    execution: {
      supports_sync: true,
      supports_async: true,
      supports_streaming: false,
      supports_cancel: true,
      supports_retry: true,
      expected_completion: 'sync',
      retry_safety: 'safe',
      ...execution,
    },
  };
}

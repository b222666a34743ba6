import type { CapabilityContract } from '../../protocol/types.js';

/** Members that replace those of a preset: those of idempotency, execution, data and sla one by one, the others whole. */
export type ContractOverrides = {
  [Member in keyof CapabilityContract]?: Member extends Merged
    ? Partial<NonNullable<CapabilityContract[Member]>>
    : CapabilityContract[Member];
};

type Merged = 'idempotency' | 'execution' | 'data' | 'sla';

/** How a write that a key makes repeatable treats its keys. */
export interface IdempotentWriteOptions extends ContractOverrides {
  /** Must every action bring a key? Default required. */
  key?: 'required' | 'optional';
  /** Within what a key is unique; default tenant. */
  scope?: CapabilityContract['idempotency']['key_scope'];
}

const BASE: CapabilityContract = {
  side_effects: ['read'],
  idempotency: { requirement: 'optional', collision_behavior: 'return_original_result', key_scope: 'principal' },
  execution: {
    supports_sync: true,
    supports_async: true,
    supports_streaming: false,
    supports_cancel: true,
    supports_retry: true,
    expected_completion: 'sync',
    retry_safety: 'safe',
  },
  data: { sensitivity: 'internal', contains_pii: false, redaction_required: false },
  sla: { timeout_ms: 60_000, async_expected: false },
};

/** A capability that changes nothing: it may run again at any time. `overrides` replace members. */
export function readOnly(overrides: ContractOverrides = {}): CapabilityContract {
  return merged(BASE, overrides);
}

/** A capability that changes something once for each idempotency key: after a crash it runs again with the same key. */
export function idempotentWrite(options: IdempotentWriteOptions = {}): CapabilityContract {
  const { key = 'required', scope = 'tenant', ...overrides } = options;
  const write = merged(BASE, {
    side_effects: ['write'],
    idempotency: { requirement: key, key_scope: scope },
    execution: { retry_safety: 'safe_with_idempotency_key' },
  });
  return merged(write, overrides);
}

/**
 * A capability that changes something and must not run twice: after a crash the host asks its `reconcile`, else the
 * outcome is unknown.
 */
export function unsafeWrite(overrides: ContractOverrides = {}): CapabilityContract {
  const write = merged(BASE, {
    side_effects: ['write'],
    idempotency: { collision_behavior: 'reject_conflict', key_scope: 'tenant' },
    execution: { supports_retry: false, retry_safety: 'unsafe' },
  });
  return merged(write, overrides);
}

function merged(base: CapabilityContract, overrides: ContractOverrides): CapabilityContract {
  const { idempotency, execution, data, sla, ...rest } = overrides;
  return {
    ...base,
    ...rest,
    idempotency: { ...base.idempotency, ...idempotency },
    execution: { ...base.execution, ...execution },
    data: { ...base.data, ...data },
    sla: { ...base.sla, ...sla } as NonNullable<CapabilityContract['sla']>,
  };
}

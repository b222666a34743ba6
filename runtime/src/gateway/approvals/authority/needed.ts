import type { Capability } from '../../../protocol/types.js';

const RISKS_WITHOUT_APPROVAL: ReadonlySet<string> = new Set(['low', 'medium']);

/** Whether a human must decide before the capability may run: by contract, by its own flag, or above medium risk. */
export function approvalNeeded(capability: Capability): boolean {
  return (
    capability.contract?.approval?.required === true ||
    capability.requires_human_approval === true ||
    (capability.risk !== undefined && !RISKS_WITHOUT_APPROVAL.has(capability.risk))
  );
}

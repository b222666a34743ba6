import type { Capability } from '../../../../protocol/types.js';

const RISKS_WITHOUT_APPROVAL: ReadonlySet<string> = new Set(['low', 'medium']);

/** Whether a human must decide before the capability may run: by contract, by its own flag, or above medium risk. */
export function approvalNeeded(capability: Capability): boolean {
  return (
    capability.contract?.approval?.required === true ||
    capability.requires_human_approval === true ||
    (capability.risk !== undefined && !RISKS_WITHOUT_APPROVAL.has(capability.risk))
  );
}

/** Whether a human must decide before an effect of the capability is undone, by its contract. */
export function compensationNeedsApproval({ contract }: Capability): boolean {
  return contract?.compensation?.requires_approval === true;
}

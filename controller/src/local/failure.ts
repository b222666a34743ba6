import { StorageUnavailable } from '@aip/runtime/internal/messages';
import { CapabilityConflict, RegistryConflict, RegistryInputInvalid } from '@aip/runtime/internal/registry';
import { shownName } from '../api/metadata.js';
import { connectorInstanceKey } from '../api/names.js';
import type { ReconcileFailure } from '../cluster/instance/status.js';
import type { Step } from '../reconcile/step.js';

/** What a step that failed on this machine means, in the conditions that the controller uses. */
export function localFailure(error: unknown, step: Step['do'] | undefined): ReconcileFailure {
  const message = error instanceof Error ? error.message : String(error);
  const steps = step === undefined ? [] : [step];
  const failure = (reason: string, stalled: boolean, text = message): ReconcileFailure => ({
    reason,
    message: text,
    stalled,
    passing: false,
    steps,
  });
  if (error instanceof CapabilityConflict) {
    const other = error.instanceId && connectorInstanceKey(error.instanceId);
    const owner = other
      ? `; the instance ${shownName(other)} has it: change both together, or give the capability another id`
      : '';
    return failure('CapabilityConflict', true, `${message}${owner}`);
  }
  if (error instanceof RegistryConflict || error instanceof RegistryInputInvalid)
    return failure('RegistryRefused', true);
  if (error instanceof StorageUnavailable) return failure('DatabaseUnavailable', false);
  return failure('StepFailed', false);
}

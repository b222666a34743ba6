import { recordDuration } from '../../../transport/telemetry/telemetry.js';
import type { Settlement } from './write.js';

/** Adds an action that ended to the durations by capability and outcome, from its acceptance to its end. */
export function recordActionEnd({ measured, state, result, completed_at }: Settlement): void {
  recordDuration('aip.action.duration', (completed_at - measured.acceptedAt) / 1000, {
    'aip.capability_id': measured.capabilityId,
    'aip.outcome': state,
    'error.type': result.error?.code,
  });
}

import { shortDuration } from '@aip/runtime/internal/duration';
import type { InstanceInputs } from '../inputs.js';
import type { Rollout } from '../rollout/rollout.js';
import type { Observation } from '../step.js';

/** How far the replicas are from what is desired: the first of the reasons that holds, the most urgent first; undefined when they are there. */
export function progress(inputs: InstanceInputs, decided: Rollout): Observation | undefined {
  return hostProgress(decided) ?? rolloutProgress(inputs, decided);
}

/** Hosts of the present template that do not become ready. */
function hostProgress({ live, current, stalled }: Rollout): Observation | undefined {
  const stuck = current.find(({ record, trouble }) => record !== 'ready' && trouble !== undefined);
  const trouble = stuck && `${stuck.name}: ${stuck.trouble}`;
  if (!stalled) return trouble === undefined ? undefined : progressing('Unknown', 'HostTrouble', trouble);
  const what =
    live.length > current.length
      ? 'the new replicas did not become ready in time and the old ones keep serving'
      : 'the replicas did not become ready in time';
  return progressing('False', 'ProgressDeadlineExceeded', `${what}; ${trouble ?? 'their logs say why'}`);
}

/** Replicas of another template that are still to be replaced, or are not replaced, and why. */
function rolloutProgress({ desired }: InstanceInputs, { live, current, canary }: Rollout): Observation | undefined {
  const old = live.length - current.length;
  if (canary?.state === 'failed' && desired.rolledBack === undefined)
    return progressing('False', 'CanaryFailed', canary.message);
  if (canary?.state === 'open' && desired.canary)
    return progressing(
      'Unknown',
      'Canary',
      `${canary.replicas} of ${desired.replicas} replicas are tried for ${shortDuration(desired.canary.durationMs)} before the others are replaced`,
    );
  if (old > 0 && desired.paused)
    return progressing(
      'Unknown',
      'RolloutPaused',
      `${old} replicas are not replaced while spec.rollout.paused is true`,
    );
  if (desired.rolledBack !== undefined) return progressing('False', 'RolledBack', desired.rolledBack);
  if (old > 0) return progressing('Unknown', 'RollingOut', `${old} replicas are still to be replaced`);
  return undefined;
}

function progressing(status: Observation['status'], reason: string, message: string): Observation {
  return { type: 'Progressing', status, reason, message };
}

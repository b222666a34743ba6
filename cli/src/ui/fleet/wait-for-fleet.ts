import { withDeadline } from '@aip/runtime/internal/time';
import type { FleetSource } from '../../fleet/fleet-source.js';
import { interruptible } from '../../interrupt.js';
import { progress } from '../../progress/progress.js';
import type { FleetSnapshot } from './snapshot.js';
import { watchFleet } from './watch-fleet.js';

/** How a wait ended: every instance is ready, not all were in time, or Ctrl-C. */
export interface WaitedFleet {
  outcome: 'ready' | 'late' | 'interrupted';
  /** The fleet as it was seen last; undefined when what it is read from did not answer. */
  snapshot: FleetSnapshot | undefined;
}

/** Watches a fleet until every instance is ready, for `timeoutMs` at most. Throws RightMissing, KubeError. */
export async function waitForFleet(
  source: FleetSource,
  namespace: string | undefined,
  timeoutMs: number,
): Promise<WaitedFleet> {
  let snapshot: FleetSnapshot | undefined;
  progress.about('Waiting for the fleet');
  return interruptible(async (signal) => {
    const waiting = withDeadline(signal, timeoutMs);
    let ready = false;
    const view = {
      show: (shown: FleetSnapshot) => {
        snapshot = shown;
        if (shown.waiting.length === 0) {
          ready = true;
          waiting.abort();
        } else progress.about(`Waiting for ${shown.waiting.join(', ')} to become ready`);
      },
      lost: (reason: string) => progress.about(reason),
    };
    try {
      await watchFleet(source, namespace, view, waiting.signal);
    } finally {
      waiting.clear();
    }
    if (ready) return { outcome: 'ready', snapshot };
    return { outcome: signal.aborted ? 'interrupted' : 'late', snapshot };
  });
}

import type { Stage } from '@aip/controller/internal/dev';
import type { FleetSnapshot } from '../ui/fleet/snapshot.js';
import type { Line } from '../ui/line.js';
import type { ReadyFacts } from './dev-view.js';

/** All that the live view of `aip dev` shows. */
export interface LiveState {
  lines: readonly Line[];
  running: readonly Stage[];
  /** What is under way below the stages. */
  doing: string | undefined;
  /** Since when something is under way, by the clock of the process. */
  sinceMs: number;
  facts: ReadyFacts | undefined;
  fleet: FleetSnapshot | undefined;
}

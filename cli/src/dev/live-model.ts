import type { Stage } from '@aip/controller/internal/dev';
import type { FleetStatusRow } from '@aip/controller/internal/fleet-status';
import type { Line } from '../ui/line.js';
import type { ReadyFacts } from './dev-view.js';

/** All that the live view of `aip dev` shows. */
export interface LiveState {
  lines: readonly Line[];
  running: readonly Stage[];
  /** What is under way below the stages. */
  doing: string | undefined;
  facts: ReadyFacts | undefined;
  rows: readonly FleetStatusRow[];
}

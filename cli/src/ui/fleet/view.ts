import type { FleetWatchView } from './watch-fleet.js';

/** A watch's view, and how to end it. */
export interface FleetView extends FleetWatchView {
  close(): Promise<void>;
}

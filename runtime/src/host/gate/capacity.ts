import { HostCapacity } from '../../protocol/errors.js';
import type { Facts } from './facts.js';

/** A new action needs a free slot now; nothing waits here. */
export function capacity({ action, running, situation }: Facts): HostCapacity | undefined {
  return action && !running && situation.freeSlots <= 0 ? new HostCapacity() : undefined;
}

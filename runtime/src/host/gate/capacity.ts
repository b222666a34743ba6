import { AipError } from '../../protocol/errors.js';
import type { Facts } from './facts.js';
import { unlessTaken } from './taken.js';

/** A new action needs a free slot now; nothing waits here. */
export function capacity(facts: Facts): undefined | Promise<AipError | undefined> {
  return facts.action && facts.situation.freeSlots <= 0
    ? unlessTaken(new AipError('connector_host.capacity'), facts)
    : undefined;
}

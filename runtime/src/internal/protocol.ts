/** Words of the protocol for sibling packages: types, identifiers, times, limits. Loads no validator. */
export { type Clock, systemClock } from '../protocol/clock.js';
export { fileProblem } from '../protocol/errors/file-problem.js';
export { NamedError } from '../protocol/errors/named-error.js';
export { isId, isPlainId, newId } from '../protocol/ids.js';
export {
  ACQUIRE_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  LEASE_TTL_MS,
  MAX_ACQUIRE_TIMEOUT_MS,
  MAX_LEASE_TTL_MS,
  MAX_LIFECYCLE_BYTES,
  MAX_TOTAL_SIZE,
  MIN_LEASE_TTL_MS,
} from '../protocol/limits.js';
export { formatTime, parseTime } from '../protocol/time.js';
export type * from '../protocol/types.js';

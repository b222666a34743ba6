/** Limits of the protocol for sibling packages. Loads nothing else. */
export { KEEP_ALIVE_MS, MAX_TOTAL_SIZE } from '../protocol/limits.js';

/** Waiting, retries and facts of processes for sibling packages. */
export { commandLineOf, processFacts } from '../postgres/platform.js';
export { openDeadline, withDeadline, within } from '../transport/process/deadline.js';
export { doubling, jittered, retry } from '../transport/process/retry.js';
export { openWaker, pollLoop, pollUntil, waited } from '../transport/process/wait.js';

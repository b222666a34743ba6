/** Waiting, retries and facts of processes for sibling packages. */
export { commandLineOf, processFacts } from '../postgres/platform.js';
export { doubling, jittered, retry } from '../transport/process/retry.js';
export { pollLoop, waited } from '../transport/process/wait.js';

/** Deadlines, waits, poll loops and retries for sibling packages. */
export { type Deadline, joined, openDeadline, timed, withDeadline, within } from '../time/deadline.js';
export { doubling, jittered, retry } from '../time/retry.js';
export { after, every, openTimer } from '../time/timer.js';
export { openWaker, pollLoop, pollUntil, waited, waitUntil } from '../time/wait.js';

/** Tests of connectors; the package exports it as @aip/runtime/testing. */
export type { RunOptions } from './action.js';
export type { RunOutcome, TestHost, TestHostOptions } from './test-host.js';
export { openTestHost } from './test-host.js';

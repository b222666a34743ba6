/** The data folder of `aip dev` for sibling packages. */
export { LockHeld, waitForLock } from '../fleet/file-lock.js';
export { readJson, writePrivate } from '../fleet/files.js';
export { isAlive, type ProcessIdentity } from '../fleet/process-identity.js';
export { type DataPaths, type DevInfo, dataPaths, defaultDataDir } from '../local/state/data-dir.js';
export type { DevEvent, DevInstanceStatus, DevStatus } from '../local/state/published.js';
export type { LocalState } from '../local/state/store.js';

/** Where a running `aip dev` keeps what other programs read, for sibling packages. Loads nothing else. */
export { type DataPaths, type DevInfo, dataPaths, defaultDataDir } from '../local/state/data-dir.js';

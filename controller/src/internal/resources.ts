/** Resource files and revisions of resources for sibling packages. */
export { loadResources, mergeResources, type ResourceFile, readResourceFiles } from '../api/files/load.js';
export { isSameRevision, type Revision, revisionPatch, revisionsOf } from '../api/revisions.js';

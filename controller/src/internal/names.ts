/** Names of resources for people, for sibling packages. Loads nothing else. */
export { shownName } from '../api/metadata.js';

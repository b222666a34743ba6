/** Durations for people, for sibling packages. Loads nothing else. */
export { shortDuration } from '../protocol/content/duration.js';

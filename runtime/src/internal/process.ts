/** Facts of processes for sibling packages. */
export { commandLineOf, processFacts } from '../postgres/platform.js';

/** Nearest words for sibling packages. */
export { didYouMean, similar } from '../api/suggest.js';

/** The PostgreSQL server that comes with the package, for sibling packages. */
export { startEmbedded } from '../postgres/embedded.js';

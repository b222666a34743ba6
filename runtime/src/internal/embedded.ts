/** The PostgreSQL server that comes with the package, and free ports, for sibling packages. */
export { startEmbedded } from '../postgres/embedded/embedded.js';
export { freePort } from '../postgres/free-port.js';

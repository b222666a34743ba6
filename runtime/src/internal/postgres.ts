/** The database for sibling packages: pool, migrations, clock, databases that a program owns. */
export { connectionOf, type DatabaseAddress } from '../postgres/address.js';
export { openDatabaseClock } from '../postgres/database-clock.js';
export { overSocket } from '../postgres/embedded/local-socket.js';
export { migrate, schemaVersion } from '../postgres/migrate.js';
export { ensureOwnedDatabase } from '../postgres/owned-database.js';
export { openPool, type Pool, type Queryable } from '../postgres/pool.js';

import { host0001 } from './0001-host.js';

/** Migrations of the host's own schema, in order. */
export const HOST_MIGRATIONS = [{ id: 1, name: 'host', sql: host0001 }];

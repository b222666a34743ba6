import type { HostLogin, RemovedDatabase } from '@aip/controller/internal/fleet';
import { type Column, table } from './table.js';

const MIB = 1024 * 1024;

const COLUMNS: Column<RemovedDatabase>[] = [
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'SCHEMA', value: ({ schema }) => (schema ? 'yes' : 'no') },
  { title: 'MIB', value: ({ bytes }) => (bytes / MIB).toFixed(1), align: 'right' },
];

/** Databases of removed instances for people. */
export function removedDatabasesTable(found: readonly RemovedDatabase[], width?: number): string {
  return found.length === 0 ? 'No databases of removed instances.' : table(found, COLUMNS, width);
}

const LOGIN_COLUMNS: Column<HostLogin>[] = [
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'CONNECTIONS', value: ({ connections }) => String(connections), align: 'right' },
];

/** Roles of hosts that may log in, for people. */
export function hostLoginsTable(found: readonly HostLogin[], width?: number): string {
  return found.length === 0 ? 'No role of a host may log in.' : table(found, LOGIN_COLUMNS, width);
}

import type { FleetStatusRow } from '@aip/controller/local/state/fleet-status.js';
import { seconds, shortDid } from '../format.js';
import { paintState } from '../paint.js';
import { type Column, table } from './table.js';

/** Columns of the fleet: what an operator asks first stands first. */
export const FLEET_COLUMNS: Column<FleetStatusRow>[] = [
  { title: 'INSTANCE', value: (row) => row.instance, shrink: 'middle' },
  { title: 'REPLICA', value: (row) => row.replica ?? '–', shrink: 'middle', least: 12 },
  { title: 'STATE', value: (row) => row.state, paint: (text, row) => paintState(row.state).replace(row.state, text) },
  {
    title: 'LEASE',
    value: (row) => (row.lease_left_ms > 0 ? seconds(row.lease_left_ms) : '–'),
    align: 'right',
    drop: 1,
  },
  { title: 'LOAD', value: (row) => (row.replica === null ? '–' : `${row.active}/${row.capacity}`), align: 'right' },
  { title: 'VERSION', value: (row) => row.version, shrink: 'end', drop: 2 },
  { title: 'TENANT', value: (row) => row.tenant_id, shrink: 'middle', drop: 3 },
  {
    title: 'ENDPOINT',
    value: (row) => row.endpoint?.replace(/\/aip\/v1\/messages$/, '').replace(/^http:\/\//, '') ?? '–',
    drop: 4,
  },
  { title: 'DID', value: (row) => (row.did ? shortDid(row.did) : '–'), drop: 5 },
];

/** The fleet for people. */
export function fleetTable(rows: readonly FleetStatusRow[], width?: number): string {
  return rows.length === 0 ? 'The fleet has no instances.' : table(rows, FLEET_COLUMNS, width);
}

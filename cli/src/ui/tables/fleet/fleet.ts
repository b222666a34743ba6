import type { FleetStatusRow } from '@aip/controller/internal/fleet-status';
import { timeLeft } from '../../../duration.js';
import { age } from '../../age.js';
import { shortDid } from '../../format.js';
import { paint, paintState } from '../../paint.js';
import { type Column, table } from '../table.js';
import { type HeldWork, heldWorkText } from './held-work.js';
import { stateText } from './state.js';

/** Columns of the fleet: what an operator asks first stands first. Those of held work and failures are there when there is some. */
function columns(rows: readonly FleetStatusRow[], now: number, width: number | undefined): Column<FleetStatusRow>[] {
  const failed = rows.some(({ circuit_open_ms, last_failure }) => circuit_open_ms > 0 || last_failure !== null);
  const held = rows.some((row) => heldWorkOf(row) !== undefined);
  return [
    ...ALWAYS.slice(0, LOAD),
    ...(held ? [heldColumn(now)] : []),
    ...(failed ? failures(now) : []),
    ...ALWAYS.slice(LOAD),
    didColumn(width),
  ];
}

/** What a replica that takes no new work still holds. */
export function heldWorkOf(row: FleetStatusRow): HeldWork | undefined {
  const isFinishing = row.removed_by !== null || row.state !== 'ready';
  return isFinishing && row.pinned > 0 ? { pinned_actions: row.pinned, removed_by: row.removed_by } : undefined;
}

function heldColumn(now: number): Column<FleetStatusRow> {
  return {
    title: 'HOLDS',
    value: (row) => {
      const held = heldWorkOf(row);
      return held ? heldWorkText(held, now) : '–';
    },
    paint: (text, row) => (heldWorkOf(row) ? paint.warn(text) : text),
  };
}

function failures(now: number): Column<FleetStatusRow>[] {
  return [
    {
      title: 'CIRCUIT',
      value: (row) => (row.circuit_open_ms > 0 ? `open ${timeLeft(row.circuit_open_ms)}` : 'closed'),
      paint: (text, row) => (row.circuit_open_ms > 0 ? paint.bad(text) : text),
    },
    {
      title: 'LAST FAILURE',
      value: ({ last_failure: last }) => (last ? `${last.kind} ${age(last.at, now)} ago` : '–'),
      drop: 2,
    },
  ];
}

/** The columns of failures follow this many others. */
const LOAD = 5;
const ALWAYS: Column<FleetStatusRow>[] = [
  { title: 'INSTANCE', value: (row) => row.instance, shrink: 'middle' },
  { title: 'REPLICA', value: (row) => row.replica ?? '–', shrink: 'middle', least: 20 },
  { title: 'STATE', value: stateText, paint: (text, row) => paintState(row.state).replace(row.state, text) },
  {
    title: 'LEASE',
    value: (row) => (row.lease_left_ms > 0 ? timeLeft(row.lease_left_ms) : '–'),
    align: 'right',
    drop: 1,
  },
  { title: 'LOAD', value: (row) => (row.replica === null ? '–' : `${row.active}/${row.capacity}`), align: 'right' },
  { title: 'VERSION', value: versions, shrink: 'end', drop: 2 },
  { title: 'TENANT', value: (row) => row.tenant_id, shrink: 'middle', drop: 3 },
  {
    title: 'ENDPOINT',
    value: (row) => row.endpoint?.replace(/\/aip\/v1\/messages$/, '').replace(/^http:\/\//, '') ?? '–',
    drop: 4,
  },
];

/** A key is recognized by its end; where the width has no bound it is shown whole. */
function didColumn(width: number | undefined): Column<FleetStatusRow> {
  const shown = width === undefined ? (did: string) => did : shortDid;
  return { title: 'DID', value: ({ did }) => (did ? shown(did) : '–'), drop: 5 };
}

/** During a rollout the version that runs, and the one that is wanted. */
function versions({ version, wanted_version: wanted }: FleetStatusRow): string {
  return version === wanted ? version : `${version} → ${wanted}`;
}

/** The fleet for people. */
export function fleetTable(rows: readonly FleetStatusRow[], width?: number, now = Date.now()): string {
  return rows.length === 0 ? 'The fleet has no instances.' : table(rows, columns(rows, now, width), width);
}

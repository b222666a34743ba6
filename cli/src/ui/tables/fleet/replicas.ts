import type { InstanceView, ReplicaView } from '../../../fleet/instance-view.js';
import { age } from '../../age.js';
import { paint, paintState } from '../../paint.js';
import { type Column, table } from '../table.js';
import { heldWorkText } from './held-work.js';
import { stateText } from './state.js';

/** One replica of a cluster with what its instance says of it. */
export interface ReplicaRow extends ReplicaView {
  namespace: string;
  instance: string;
  hosting: InstanceView['hosting'];
}

/** The replicas of all instances. */
export function replicaRows(views: readonly InstanceView[]): ReplicaRow[] {
  return views.flatMap(({ namespace, name, hosting, replicas }) =>
    replicas.map((replica) => ({ namespace, instance: name, hosting, ...replica })),
  );
}

const REPLICA: Column<ReplicaRow> = { title: 'REPLICA', value: (row) => row.name, shrink: 'middle' };
const STATE: Column<ReplicaRow> = {
  title: 'STATE',
  value: stateText,
  paint: (text, row) => paintState(row.state).replace(row.state, text),
};
const POD: Column<ReplicaRow> = { title: 'POD', value: (row) => row.pod ?? '–', shrink: 'middle', drop: 3 };
const VERSION: Column<ReplicaRow> = { title: 'VERSION', value: versions, shrink: 'end', drop: 1 };
const MESSAGE: Column<ReplicaRow> = {
  title: 'MESSAGE',
  value: (row) => row.message ?? '',
  shrink: 'end',
  least: 16,
  paint: (text) => paint.warn(text),
};

/** What follows CIRCUIT and LAST FAILURE is there once a replica failed. */
function failures(rows: readonly ReplicaRow[], of: { circuit: string; failure: string }, now: number) {
  if (rows.every(({ circuit, last_failure }) => circuit !== 'open' && last_failure === null)) return [];
  const columns: Column<ReplicaRow>[] = [
    {
      title: 'CIRCUIT',
      value: (row) => (row.circuit === null ? '' : `${of.circuit}${row.circuit}`),
      paint: (text, row) => (row.circuit === 'open' ? paint.bad(text) : text),
    },
    {
      title: 'LAST FAILURE',
      value: ({ last_failure: last }) => (last ? `${of.failure}${last.kind} ${age(last.at, now)} ago` : ''),
      drop: 2,
    },
  ];
  return columns;
}

/** Work of hosts that take no new one; there once a replica has some. */
function holds(rows: readonly ReplicaRow[], prefix: string, now: number): Column<ReplicaRow>[] {
  if (rows.every(({ held }) => held === null)) return [];
  const value = ({ held }: ReplicaRow): string => (held ? `${prefix}${heldWorkText(held, now)}` : '');
  return [{ title: 'HOLDS', value, shrink: 'end', least: prefix.length + 3, paint: (text) => paint.warn(text) }];
}

/** Replicas for people, with a line of titles. */
export function replicaTable(rows: readonly ReplicaRow[], now: number, width?: number): string {
  const several = rows.some(({ namespace }) => namespace !== rows[0]?.namespace);
  const namespace: Column<ReplicaRow> = { title: 'NAMESPACE', value: (row) => row.namespace, shrink: 'middle' };
  return table(
    rows,
    [
      ...(several ? [namespace] : []),
      { title: 'INSTANCE', value: (row) => row.instance, shrink: 'middle', drop: 5 },
      { ...REPLICA, least: 12 },
      STATE,
      ...holds(rows, '', now),
      ...failures(rows, { circuit: '', failure: '' }, now),
      VERSION,
      { title: 'CAPACITY', value: (row) => String(row.capacity), align: 'right', drop: 4 },
      { ...POD, value: (row) => (row.hosting === 'External' ? 'external' : (row.pod ?? '–')) },
      ...(rows.some(({ message }) => message !== undefined) ? [MESSAGE] : []),
    ],
    width,
  );
}

/** A line for each replica of all instances, aligned over all of them, without titles. */
export function replicaLines(views: readonly InstanceView[], now: number, width: number): string[] {
  const rows = replicaRows(views);
  if (rows.length === 0) return [];
  const columns: Column<ReplicaRow>[] = [
    { ...REPLICA, least: 12 },
    STATE,
    ...holds(rows, 'holds ', now),
    ...failures(rows, { circuit: 'circuit ', failure: 'last failure: ' }, now),
    { ...POD, value: podText, paint: (text) => paint.dim(text) },
    VERSION,
    { title: 'CAPACITY', value: (row) => `capacity ${row.capacity}`, drop: 4, paint: (text) => paint.dim(text) },
    // What is wrong also stands below the replicas, whole.
    { ...MESSAGE, drop: 1 },
  ];
  // A title takes no room where no title is shown.
  return table(
    rows,
    columns.map((column) => ({ ...column, title: '' })),
    width,
  )
    .split('\n')
    .slice(1);
}

/** During a rollout the version that runs, and the one that is wanted. */
function versions({ version, wanted_version: wanted }: ReplicaRow): string {
  const running = version.slice(0, 18);
  return version === wanted ? running : `${running} → ${wanted}`;
}

function podText(row: ReplicaRow): string {
  if (row.hosting === 'External') return 'external';
  return row.pod === null ? 'no Pod' : `Pod ${row.pod}`;
}

import type { FleetStatusRow } from '@aip/controller/local/state/fleet-status.js';
import { fleetTable } from '../ui/tables/fleet.js';
import { instanceTable } from '../ui/tables/instances.js';
import type { InstanceView } from './instance-view.js';

/** What a watch shows at one moment. */
export interface WatchSnapshot {
  /** The whole as a table within `width` columns. */
  table(width: number | undefined, now: number): string;
  /** The parts by their key: one line of text and one of JSON each. A change of `line` is what a watch reports. */
  items: ReadonlyMap<string, { line: string; json: Record<string, unknown> }>;
  /** An item that is not shown any more is not gone. */
  keepsMissing?: boolean;
}

/** A fleet at one moment, whatever it was read from; its items are instances or replicas. */
export interface FleetSnapshot extends WatchSnapshot {
  /** The whole as one JSON document. */
  document: Record<string, unknown>;
  /** Instances that need a person, or that nobody serves. */
  broken: readonly string[];
}

/** A snapshot of a cluster's resources. */
export function clusterSnapshot(views: readonly InstanceView[]): FleetSnapshot {
  return {
    table: (width, now) => instanceTable(views, now, width),
    document: { instances: views },
    items: new Map(
      views.map((view) => [`${view.namespace}/${view.name}`, { line: instanceLine(view), json: { instance: view } }]),
    ),
    broken: views
      .filter((view) => view.stalled || view.problems.some(({ type }) => type === 'Admitted'))
      .map((view) => `${view.namespace}/${view.name}`),
  };
}

/** A snapshot of the registry. */
export function registrySnapshot(rows: readonly FleetStatusRow[]): FleetSnapshot {
  const served = new Set(rows.filter(({ state }) => state === 'ready').map((row) => row.instance_id));
  return {
    table: (width) => fleetTable(rows, width),
    document: { replicas: rows },
    items: new Map(
      rows.map((row) => [
        row.replica_id ?? row.instance_id,
        { line: `${row.instance} ${row.replica ?? 'no replicas'} ${row.state} ${row.version}`, json: { replica: row } },
      ]),
    ),
    broken: [...new Set(rows.filter((row) => !served.has(row.instance_id)).map((row) => row.instance))],
  };
}

function instanceLine(view: InstanceView): string {
  const states = view.replicas.map(({ name, state }) => `${name}=${state}`).join(' ');
  const draining = view.draining > 0 ? `, ${view.draining} draining` : '';
  const problem = view.problems[0]?.message;
  return [
    `${view.namespace}/${view.name} ${view.status} ${view.ready}/${view.desired} ready${draining}`,
    ...(states === '' ? [] : [states]),
    ...(problem ? [problem] : []),
  ].join('; ');
}

import type { DevInstanceStatus } from '@aip/controller/internal/data-folder';
import type { FleetStatusRow } from '@aip/controller/internal/fleet-status';
import { shownName } from '@aip/controller/internal/names';
import { isAsWanted, problemOfInstance } from '../../fleet/dev-status.js';
import type { InstanceView } from '../../fleet/instance-view.js';
import { paint } from '../paint.js';
import { fleetTable, heldWorkOf } from '../tables/fleet/fleet.js';
import { instanceTable } from '../tables/fleet/instances.js';
import { stateText } from '../tables/fleet/state.js';
import { wrap } from '../tables/width.js';

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
  /** Instances that need a person, or that no host serves. */
  broken: readonly string[];
  /** Instances that have not reached what their spec requests. */
  waiting: readonly string[];
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
    waiting: views.filter(({ healthy }) => !healthy).map((view) => `${view.namespace}/${view.name}`),
  };
}

/** A source of a fleet's state that did not answer; what is shown comes from the others. */
export interface UnreachableSource {
  source: 'registry';
  reason: string;
}

/** A snapshot of the registry, with what a running `aip dev` says of its instances. */
export function registrySnapshot(
  rows: readonly FleetStatusRow[],
  instances: readonly DevInstanceStatus[] | undefined = undefined,
  unreachable: readonly UnreachableSource[] = [],
): FleetSnapshot {
  const served = new Set(rows.filter(({ state }) => state === 'ready').map((row) => row.instance_id));
  const known = new Set(rows.map((row) => row.instance_id));
  const shown = [
    ...rows,
    ...(instances ?? []).filter(({ instance_id }) => !known.has(instance_id)).map(rowWithoutReplicas),
  ];
  const wanted = (instances ?? []).filter((instance) => !isAsWanted(instance) || problemOfInstance(instance));
  const broken = instances
    ? wanted.map(({ namespace, name }) => shownName(`${namespace}/${name}`))
    : rows.filter((row) => !served.has(row.instance_id)).map((row) => row.instance);
  return {
    table: (width, now) =>
      [fleetTable(shown, width, now), ...unreachableLines(unreachable, width), ...problemLines(wanted, width)].join(
        '\n',
      ),
    document: {
      replicas: rows,
      ...(instances ? { instances } : {}),
      ...(unreachable.length > 0 ? { unreachable } : {}),
    },
    items: new Map(
      shown.map((row) => [row.replica_id ?? row.instance_id, { line: replicaLine(row), json: { replica: row } }]),
    ),
    broken: [...new Set(broken)],
    waiting: [...new Set(broken)],
  };
}

/** What a watch reports of a replica. */
function replicaLine(row: FleetStatusRow): string {
  const circuit = row.circuit_open_ms > 0 ? `, circuit open after ${row.consecutive_failures} failures` : '';
  const held = heldWorkOf(row);
  const holds = held ? `, holds ${held.pinned_actions}` : '';
  return `${row.instance} ${row.replica ?? 'no replicas'} ${stateText(row)} ${row.version}${circuit}${holds}`;
}

function unreachableLines(sources: readonly UnreachableSource[], width = Number.POSITIVE_INFINITY): string[] {
  return sources.flatMap(({ reason }) => {
    const [first = '', ...more] = wrap(`${reason} Shown is what \`aip dev\` reports itself.`, width - 2);
    return [`${paint.bad('!')} ${first}`, ...more.map((line) => `  ${line}`)];
  });
}

/** An instance that has come to no replica yet has a line too. */
function rowWithoutReplicas(instance: DevInstanceStatus): FleetStatusRow {
  const { namespace, name, instance_id, tenant_id, connector, version } = instance;
  return {
    instance: shownName(`${namespace}/${name}`),
    instance_id,
    tenant_id,
    connector,
    version,
    version_id: '',
    wanted_version: version,
    replica: null,
    replica_id: null,
    state: 'none',
    desired: 'ready',
    lease_left_ms: 0,
    active: 0,
    pinned: 0,
    capacity: 0,
    endpoint: null,
    did: null,
    removed_by: null,
    circuit_open_ms: 0,
    consecutive_failures: 0,
    last_failure: null,
  };
}

function problemLines(instances: readonly DevInstanceStatus[], width = Number.POSITIVE_INFINITY): string[] {
  return instances.flatMap((instance) => {
    const problem = problemOfInstance(instance);
    if (!problem) return [];
    const name = shownName(`${instance.namespace}/${instance.name}`);
    const [first = '', ...more] = wrap(`${name}: ${problem.reason}: ${problem.message}`, width - 2, { whole: true });
    return [`${paint.bad('!')} ${first}`, ...more.map((line) => `  ${line}`)];
  });
}

function instanceLine(view: InstanceView): string {
  const states = view.replicas
    .map(({ name, state, circuit, held }) => {
      const notes = [
        ...(circuit === 'open' ? ['circuit open'] : []),
        ...(held ? [`holds ${held.pinned_actions}`] : []),
      ];
      return `${name}=${state}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
    })
    .join(' ');
  const draining = view.draining > 0 ? `, ${view.draining} draining` : '';
  const problem = view.problems[0]?.message;
  return [
    `${view.namespace}/${view.name} ${view.status} ${view.ready}/${view.desired} ready${draining}`,
    ...(states === '' ? [] : [states]),
    ...(problem ? [problem] : []),
  ].join('; ');
}

import type { Condition, ConnectorInstanceSpec } from '@aip/controller/internal/api';
import type { DevEvent } from '@aip/controller/internal/data-folder';
import { shownName } from '@aip/controller/internal/names';
import type { ClusterDescription, EventView, RegistryDescription } from '../../fleet/describe/description.js';
import type { VersionView } from '../../fleet/instance-view.js';
import { age } from '../age.js';
import { paint } from '../paint.js';
import { fleetTable } from '../tables/fleet/fleet.js';
import { heldWorkText } from '../tables/fleet/held-work.js';
import { paintStatus } from '../tables/fleet/instances.js';
import { replicaLines } from '../tables/fleet/replicas.js';
import { type Column, table } from '../tables/table.js';
import { lengthOf, wrap } from '../tables/width.js';

type Binding = ConnectorInstanceSpec['bindings'][number];

const BINDING_COLUMNS: Column<Binding>[] = [
  { title: 'CAPABILITIES', value: (row) => row.capabilities.join(' '), shrink: 'end' },
  { title: 'PRIORITY', value: (row) => String(row.priority ?? 0), align: 'right' },
  { title: 'QUOTA POLICY', value: (row) => row.quotaPolicy ?? '–' },
  { title: 'CREDENTIAL', value: (row) => row.credentialRevision ?? '–', shrink: 'end', drop: 1 },
];

const conditionColumns = (now: number): Column<Condition>[] => [
  { title: 'CONDITION', value: (row) => row.type },
  { title: 'STATUS', value: (row) => row.status, paint: paintConditionStatus },
  { title: 'REASON', value: (row) => row.reason },
  { title: 'SINCE', value: (row) => age(row.lastTransitionTime, now), align: 'right' },
];

const versionColumns = (now: number): Column<VersionView>[] => [
  { title: 'RUNS', value: (row) => row.version ?? row.version_id, shrink: 'end' },
  { title: 'REPLICAS', value: (row) => String(row.replicas), align: 'right' },
  { title: 'READY', value: (row) => String(row.ready), align: 'right' },
  { title: 'DRAINING', value: (row) => String(row.draining), align: 'right' },
  { title: 'HOLDS', value: (row) => (row.pinned_actions > 0 ? heldWorkText(row, now) : '–') },
  { title: 'MANIFEST', value: (row) => row.manifest_digest ?? '–', shrink: 'end', drop: 1 },
];

const eventColumns = (now: number): Column<EventView>[] => [
  {
    title: 'EVENT',
    value: (row) => row.reason,
    paint: (text, row) => (row.type === 'Warning' ? paint.warn(text) : text),
  },
  { title: 'LAST', value: (row) => age(row.at, now), align: 'right' },
  { title: 'TIMES', value: (row) => String(row.count), align: 'right' },
  { title: 'ABOUT', value: (row) => shownName(row.about), shrink: 'middle', drop: 1 },
];

/** One instance for people, in sections; keeps within `width` columns. */
export function descriptionLines(
  found: ClusterDescription | RegistryDescription,
  now: number,
  width?: number,
): string[] {
  return found.kind === 'cluster' ? clusterLines(found, now, width) : registryLines(found, now, width);
}

function clusterLines(found: ClusterDescription, now: number, width?: number): string[] {
  const { instance } = found;
  const counts = `${instance.ready} of ${instance.desired} ready${instance.draining > 0 ? `, ${instance.draining} draining` : ''}`;
  return [
    `${paint.strong(`${instance.namespace}/${instance.name}`)}  ${paintStatus(instance.status, instance)}  ${counts}`,
    ...facts([
      ['connector', `${instance.connector} ${instance.version}`],
      ['tenant', instance.tenant_id],
      ['hosting', instance.hosting],
      ['instance', found.instance_id],
      ['version', found.version_id],
      ['manifest', found.manifest_digest],
      ['capabilities', found.capabilities],
      ['webhooks', found.webhook_url ?? null],
      ['configuration', found.config_revision === null ? null : `revision ${found.config_revision}`],
      ['age', age(instance.created_at, now)],
    ]),
    ...section(
      found.conditions,
      conditionColumns(now),
      'The controller has written no condition yet.',
      width,
      (row) => row.message,
    ),
    ...(instance.versions.length > 1 ? section(instance.versions, versionColumns(now), '', width) : []),
    '',
    'REPLICAS',
    ...(instance.replicas.length === 0 ? ['none'] : replicaLines([instance], now, width ?? Number.POSITIVE_INFINITY)),
    ...section(found.bindings, BINDING_COLUMNS, 'No bindings.', width),
    ...(found.events === null
      ? ['', paint.dim('Events may not be listed.')]
      : section(found.events, eventColumns(now), 'No events.', width, (row) => row.note)),
  ];
}

function registryLines(found: RegistryDescription, now: number, width?: number): string[] {
  return [
    paint.strong(found.name),
    ...facts([
      ['connector', found.connector],
      ['tenant', found.tenant_id],
      ['instance', found.instance_id],
      ['configuration', found.config_revision === null ? null : `revision ${found.config_revision}`],
      ['webhooks', found.webhook_url ?? null],
    ]),
    ...(found.conditions
      ? section(found.conditions, conditionColumns(now), 'No condition yet.', width, (row) => row.message)
      : []),
    '',
    ...(found.replicas.length === 0 ? ['No replicas.'] : fleetTable(found.replicas, width).split('\n')),
    ...(found.bindings === null ? [] : section(found.bindings, BINDING_COLUMNS, 'No bindings.', width)),
    ...(found.events
      ? section(found.events.slice(-15).map(eventView), eventColumns(now), 'No events.', width, (row) => row.note)
      : []),
  ];
}

function facts(rows: readonly [string, string | number | null][]): string[] {
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${paint.dim(name.padEnd(15))}${value}`]));
}

/** A table; what `said` gives stands whole behind its row where it fits, else beneath it. */
function section<Row>(
  rows: readonly Row[],
  columns: Column<Row>[],
  none: string,
  width = Number.POSITIVE_INFINITY,
  said: (row: Row) => string = () => '',
): string[] {
  if (rows.length === 0) return ['', paint.dim(none)];
  const lines = table(rows, columns, width).split('\n');
  const longest = Math.max(...lines.map(lengthOf));
  const fits = rows.every((row) => longest + 2 + lengthOf(said(row)) <= width);
  const [head = '', ...own] = lines;
  return [
    '',
    head,
    ...own.flatMap((line, at) => {
      const text = said(rows[at] as Row);
      if (text === '') return [line];
      if (fits) return [`${line}${' '.repeat(longest + 2 - lengthOf(line))}${text}`];
      return [line, ...wrap(text, width - 2).map((part) => `  ${paint.dim(part)}`)];
    }),
  ];
}

/** Stalled and Reconciling are bad or under way when true; all others are good then. */
function paintConditionStatus(text: string, { type, status }: Condition): string {
  const abnormal = type === 'Stalled' || type === 'Reconciling';
  if (status === 'Unknown') return paint.warn(text);
  if ((status === 'True') !== abnormal) return paint.good(text);
  return type === 'Reconciling' ? paint.warn(text) : paint.bad(text);
}

function eventView({ at, type, reason, instance, note, count }: DevEvent): EventView {
  return { at, type, reason, about: instance, note, count };
}

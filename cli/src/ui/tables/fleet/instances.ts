import type { InstanceView } from '../../../fleet/instance-view.js';
import { age } from '../../age.js';
import { paint } from '../../paint.js';
import { type Column, table } from '../table.js';
import { lengthOf, wrap } from '../width.js';
import { replicaLines } from './replicas.js';

const INDENT = '  ';

/** Instances, each with its replicas and what is wrong beneath it. Keeps within `width` columns: the less needed ones go first. */
export function instanceTable(
  views: readonly InstanceView[],
  now: number,
  width: number = Number.POSITIVE_INFINITY,
): string {
  if (views.length === 0) return 'The fleet has no instances.';
  const [head = '', ...lines] = fitting(
    [
      instanceColumns(views, now),
      instanceColumns(views, now).filter(({ title }) => !LESS_NEEDED.has(title)),
      compactColumns(views, now),
    ],
    views,
    width,
  );
  const beneath = replicaLines(views, now, width - INDENT.length - 2);
  return [
    head,
    ...views.flatMap((view, index) => {
      const own = beneath.splice(0, view.replicas.length);
      return [
        lines[index] ?? '',
        ...own.map((line, place) => `${INDENT}${paint.dim(place === own.length - 1 ? '└' : '├')} ${line}`),
        ...problemLines(view, width),
      ];
    }),
  ].join('\n');
}

/** The lines of the first set of columns that fits, else of the last one. */
function fitting<Row>(sets: Column<Row>[][], rows: readonly Row[], width: number): string[] {
  const fits = sets.find((columns) => lengthOf(table(rows, columns).split('\n')[0] ?? '') <= width) ?? sets.at(-1);
  return table(rows, fits ?? [], width).split('\n');
}

/** Columns that a terminal of 80 columns can do without. */
const LESS_NEEDED = new Set(['TENANT']);

function instanceColumns(views: readonly InstanceView[], now: number): Column<InstanceView>[] {
  return [
    ...nameColumns(views),
    { title: 'TENANT', value: (row) => row.tenant_id, shrink: 'middle', drop: 1 },
    { title: 'DESIRED', value: (row) => String(row.desired), align: 'right' },
    { title: 'READY', value: (row) => String(row.ready), align: 'right' },
    { title: 'DRAINING', value: (row) => String(row.draining), align: 'right' },
    ...statusColumns(now),
  ];
}

/** The counts in one column: `1/2`, `1/2+1` with one that drains. */
function compactColumns(views: readonly InstanceView[], now: number): Column<InstanceView>[] {
  return [
    ...nameColumns(views),
    {
      title: 'READY',
      value: (row) => `${row.ready}/${row.desired}${row.draining > 0 ? `+${row.draining}` : ''}`,
      align: 'right',
    },
    ...statusColumns(now),
  ];
}

const NAMESPACE: Column<InstanceView> = { title: 'NAMESPACE', value: (row) => row.namespace, shrink: 'middle' };

function nameColumns(views: readonly InstanceView[]): Column<InstanceView>[] {
  const several = views.some(({ namespace }) => namespace !== views[0]?.namespace);
  return [
    ...(several ? [NAMESPACE] : []),
    { title: 'INSTANCE', value: (row) => row.name, shrink: 'middle', paint: (text) => paint.strong(text) },
    { title: 'CONNECTOR', value: (row) => row.connector, shrink: 'end', drop: 3 },
    { title: 'VERSION', value: (row) => row.version, shrink: 'end', drop: 2 },
  ];
}

function statusColumns(now: number): Column<InstanceView>[] {
  return [
    { title: 'STATUS', value: (row) => row.status, paint: paintStatus, shrink: 'end' },
    { title: 'AGE', value: (row) => age(row.created_at, now), align: 'right' },
  ];
}

/** The style of an instance's status: good, under way, or wrong. */
export function paintStatus(text: string, view: InstanceView): string {
  if (view.healthy) return paint.good(text);
  const refused = view.problems.some(({ type }) => type === 'Admitted');
  return view.stalled || refused ? paint.bad(text) : paint.warn(text);
}

function problemLines(view: InstanceView, width: number): string[] {
  const labels: Readonly<Record<string, string>> = { Stalled: 'stalled', Admitted: 'not admitted', Ready: 'not ready' };
  // What the graver conditions say, Ready only repeats.
  const told = view.problems.filter(
    ({ type, message }) => message !== '' && (type !== 'Ready' || view.problems.length === 1),
  );
  return told.flatMap(({ type, reason, message }) => {
    const style = type === 'Ready' ? paint.warn : paint.bad;
    const label = reason === view.status ? labels[type] : `${labels[type]}, ${reason}`;
    return wrap(`${label}: ${message}`, width - INDENT.length - 2).map(
      (line, index) => `${INDENT}${index === 0 ? style('!') : ' '} ${style(line)}`,
    );
  });
}

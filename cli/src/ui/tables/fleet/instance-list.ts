import type { DevInstanceStatus } from '@aip/controller/internal/data-folder';
import { isAsWanted, problemOfInstance } from '../../../fleet/dev-status.js';
import type { InstanceView } from '../../../fleet/instance-view.js';
import { paint } from '../../paint.js';
import { type Column, table } from '../table.js';

/** One instance, wherever it runs. */
export interface InstanceRow {
  namespace: string;
  name: string;
  connector: string;
  version: string;
  tenant_id: string;
  desired: number;
  ready: number;
  draining: number;
  status: string;
  healthy: boolean;
  problem: string | null;
}

/** Instances of a cluster and of an `aip dev` in one form. */
export function instanceRows(instances: readonly (InstanceView | DevInstanceStatus)[]): InstanceRow[] {
  return instances.map((instance) => {
    const { namespace, name, connector, version, tenant_id, desired, ready, draining } = instance;
    const shared = { namespace, name, connector, version, tenant_id, desired, ready, draining };
    if ('conditions' in instance) {
      const condition = instance.conditions.find(({ type }) => type === 'Ready');
      const problem = problemOfInstance(instance);
      return {
        ...shared,
        status: problem?.reason ?? condition?.reason ?? 'Unknown',
        healthy: isAsWanted(instance) && !problem,
        problem: problem?.message ?? null,
      };
    }
    return {
      ...shared,
      status: instance.status,
      healthy: instance.healthy,
      problem: instance.problems[0]?.message ?? null,
    };
  });
}

const columns: Column<InstanceRow>[] = [
  { title: 'NAMESPACE', value: (row) => row.namespace, shrink: 'middle', drop: 3 },
  { title: 'INSTANCE', value: (row) => row.name, shrink: 'middle', paint: (text) => paint.strong(text) },
  { title: 'CONNECTOR', value: (row) => row.connector, shrink: 'end', drop: 4 },
  { title: 'VERSION', value: (row) => row.version, shrink: 'end', drop: 5 },
  { title: 'TENANT', value: (row) => row.tenant_id, shrink: 'middle', drop: 6 },
  {
    title: 'READY',
    value: ({ ready, desired, draining }) => `${ready}/${desired}${draining > 0 ? `+${draining}` : ''}`,
    align: 'right',
  },
  {
    title: 'STATUS',
    value: (row) => row.status,
    shrink: 'end',
    least: 24,
    paint: (text, row) => (row.healthy ? paint.good(text) : paint.bad(text)),
  },
  { title: 'PROBLEM', value: (row) => row.problem ?? '', shrink: 'end', least: 16, drop: 7 },
];

/** Instances for people. */
export function instancesTable(
  rows: readonly InstanceRow[],
  view: { width?: number | undefined; wide?: boolean },
): string {
  if (rows.length === 0) return 'The fleet has no instances.';
  return table(rows, columns, view.width, { wide: view.wide === true });
}

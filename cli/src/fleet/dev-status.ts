import { type DevInstanceStatus, type DevStatus, dataPaths, readJson } from '@aip/controller/internal/data-folder';
import type { FleetStatusRow } from '@aip/controller/internal/fleet-status';

/** What a running `aip dev` says of its instances; undefined when none runs on the folder. */
export async function readDevStatus(dataDir: string | undefined): Promise<DevStatus | undefined> {
  if (dataDir === undefined) return undefined;
  const status = await readJson<DevStatus>(dataPaths(dataDir).status);
  return status && isRunning(status.pid) ? status : undefined;
}

/** Rows of the registry with what a running `aip dev` knows of them: who was drained, and when hosts that still hold work are ended. */
export function withDevFacts(
  rows: readonly FleetStatusRow[],
  instances: readonly DevInstanceStatus[] | undefined,
): FleetStatusRow[] {
  const ends = new Map((instances ?? []).flatMap(({ removed_by }) => Object.entries(removed_by)));
  const cordoned = new Set((instances ?? []).flatMap((instance) => instance.cordoned));
  return rows.map((row) => {
    const id = row.replica_id ?? '';
    return { ...row, desired: cordoned.has(id) ? 'drained' : 'ready', removed_by: ends.get(id) ?? null };
  });
}

/** What a person should read of an instance: why it is refused, stalled or in trouble; undefined when nothing is wrong. */
export function problemOfInstance({ conditions }: DevInstanceStatus): { reason: string; message: string } | undefined {
  return conditions.find(
    ({ type, status, reason }) =>
      (type === 'Stalled' && status === 'True') ||
      (type === 'Admitted' && status === 'False') ||
      reason === 'HostTrouble',
  );
}

/** Is it as wanted? An instance that is to have no replicas is. */
export function isAsWanted({ conditions }: DevInstanceStatus): boolean {
  return conditions.some(
    ({ type, status, reason }) =>
      type === 'Ready' && (status !== 'False' || reason === 'Disabled' || reason === 'HostsOffline'),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import type { Logger } from 'pino';
import type { Queryable } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { STILL_OPEN } from './lapsed-leases.js';

/** How a process that executes actions is known. */
export interface WorkerName {
  /** The principal of the gateway. */
  readonly gatewayId: string;
  /** What no other gateway is called at the same time, so that an earlier one has ended; absent: unknown. */
  readonly name?: string | undefined;
  /** What the connections of the process to the database are called (see connectionsName). */
  readonly connections: string;
}

/** The id of a worker: `aip-gateway:PRINCIPAL:NAME:PROCESS`, without a name where there is none. */
export function workerIdOf(worker: WorkerName): string {
  return seriesOf(worker) + worker.connections.slice(programOf(worker).length);
}

function seriesOf({ gatewayId, name }: WorkerName): string {
  return `aip-gateway:${gatewayId}:${name === undefined ? '' : `${name}:`}`;
}

/** What the names of the connections of every such process begin with. */
function programOf({ connections }: WorkerName): string {
  return connections.slice(0, connections.lastIndexOf(' ') + 1);
}

// $1: what the ids of the series begin with; $2: the worker's own id; $4: what the names of their connections begin with. An action whose lease ends now is
// taken over by the next claim of any worker. A process that still has a connection may have a statement under way, or two gateways were given one name.
const END = `
WITH earlier AS MATERIALIZED (
  SELECT a.action_id, a.tenant_id, a.lease_id, EXISTS (
    SELECT FROM pg_stat_activity s WHERE s.application_name = $4 || substr(a.worker_id, length($1) + 1)) AS connected
  FROM runtime.actions a
  WHERE ${STILL_OPEN} AND a.lease_expires_at > $3 AND starts_with(a.worker_id, $1) AND a.worker_id <> $2
), ended AS (
  UPDATE runtime.actions a SET lease_expires_at = $3 FROM earlier e
  WHERE NOT e.connected AND a.action_id = e.action_id AND a.tenant_id IS NOT DISTINCT FROM e.tenant_id AND a.lease_id = e.lease_id
    AND a.completed_at IS NULL
)
SELECT count(*) FILTER (WHERE NOT connected)::int AS ended, count(*) FILTER (WHERE connected)::int AS "left" FROM earlier`;

/** The earlier processes of one worker's name. */
export interface Predecessors {
  /** Whether one of them may still hold leases. */
  left(): boolean;
  /** Ends the leases of those that have no connection to the database left. */
  end(): Promise<void>;
}

/** The predecessors of a worker that starts: none is left where it has no name. */
export function openPredecessors(
  db: Queryable,
  worker: WorkerName,
  clock: Clock,
  log: Pick<Logger, 'info'>,
): Predecessors {
  let isLeft = worker.name !== undefined;
  return {
    left: () => isLeft,
    end: async () => {
      const values = [seriesOf(worker), workerIdOf(worker), clock(), programOf(worker)];
      // Without a name: it runs at the start alone.
      const { rows } = await db.query<{ ended: number; left: number }>({ text: END, values });
      const { ended = 0, left = 0 } = rows[0] ?? {};
      if (ended > 0) log.info({ actions: ended }, 'actions of an ended gateway of this name are taken over');
      isLeft = left > 0;
    },
  };
}

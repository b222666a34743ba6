import type { Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { ReplicaTopology } from '../replicas.js';

/** A replica as far as choosing one needs it. `active` counts what this process has reserved since it was read. */
export interface ReplicaCandidate {
  readonly id: string;
  readonly instanceId: string;
  readonly versionId: string;
  readonly topology: ReplicaTopology;
  readonly capacity: number;
  active: number;
}

// Replicas of some instances that may take new work now.
const READ = `
SELECT id, instance_id AS "instanceId", version_id AS "versionId", region, zone, capacity_class AS "capacityClass", capacity, active
FROM registry.replicas
WHERE instance_id = ANY($1) AND status = 'ready' AND lease_expires_at > $2 AND circuit_open_until <= $2`;

type Row = Omit<ReplicaCandidate, 'topology'> & ReplicaTopology;

/** How long a read is used before it is made again, in milliseconds. */
const FRESH_MS = 100;

/** What this process knows of replicas: a recent read, moved on by its own reservations. Only the writing statement decides. */
export interface ReplicaView {
  of(instanceIds: readonly string[]): Promise<ReplicaCandidate[]>;
  /** Chosen for work whose reservation is not written yet: it counts also when the replicas are read meanwhile. */
  reserve(instanceId: string, replicaId: string): void;
  /** The reservation is written, or (`taken` false) will not be. */
  reserved(instanceId: string, replicaId: string, taken: boolean): void;
  /** Released here. */
  release(instanceId: string, replicaId: string): void;
  /** The next check these instances reads again. */
  stale(instanceIds: readonly string[]): void;
}

/** `idle`: what of a replica's places is counted as active while this process keeps it unused. */
export function replicaView(db: Queryable, clock: Clock, idle: (replicaId: string) => number = () => 0): ReplicaView {
  const known = new Map<string, { readAt: number; replicas: ReplicaCandidate[] }>();
  const reading = new Map<string, Promise<void>>();
  const unwritten = new Map<string, number>();
  const change = (instanceId: string, replicaId: string, by: number): void => {
    const replica = known.get(instanceId)?.replicas.find(({ id }) => id === replicaId);
    if (replica) replica.active = Math.max(0, replica.active + by);
  };
  const fresh = (instanceId: string): boolean => (known.get(instanceId)?.readAt ?? 0) > clock() - FRESH_MS;
  const readNow = async (instanceIds: readonly string[]): Promise<void> => {
    const values = [instanceIds, clock()];
    const { rows } = await db.query<Row>({ name: 'registry.route.replicas', text: READ, values });
    for (const id of instanceIds) known.set(id, { readAt: clock(), replicas: [] });
    for (const { region, zone, capacityClass, ...row } of rows)
      known.get(row.instanceId)?.replicas.push({
        ...row,
        active: Math.max(0, row.active - idle(row.id)) + (unwritten.get(row.id) ?? 0),
        topology: { region, zone, capacityClass },
      });
  };
  /** Reads instances once for all who need them meanwhile: under load that is every action of the time that the read takes. */
  const read = async (instanceIds: readonly string[]): Promise<void> => {
    const unread = instanceIds.filter((id) => !reading.has(id));
    if (unread.length > 0) {
      const done = readNow(unread).finally(() => {
        for (const id of unread) if (reading.get(id) === done) reading.delete(id);
      });
      for (const id of unread) reading.set(id, done);
    }
    await Promise.all(instanceIds.map((id) => reading.get(id)));
  };
  return {
    of: async (instanceIds) => {
      const old = instanceIds.filter((id) => !fresh(id));
      if (old.length > 0) await read(old);
      return instanceIds.flatMap((id) => known.get(id)?.replicas ?? []);
    },
    reserve: (instanceId, replicaId) => {
      unwritten.set(replicaId, (unwritten.get(replicaId) ?? 0) + 1);
      change(instanceId, replicaId, 1);
    },
    reserved: (instanceId, replicaId, taken) => {
      const left = (unwritten.get(replicaId) ?? 1) - 1;
      if (left > 0) unwritten.set(replicaId, left);
      else unwritten.delete(replicaId);
      if (!taken) change(instanceId, replicaId, -1);
    },
    release: (instanceId, replicaId) => change(instanceId, replicaId, -1),
    stale: (instanceIds) => {
      for (const id of instanceIds) {
        known.delete(id);
        reading.delete(id);
      }
    },
  };
}

import { formatTime } from '@aip/runtime/internal/protocol';
import { connectorInstanceId } from '../../api/names.js';
import type { Condition } from '../../api/status.js';
import { writePrivate } from '../../fleet/files.js';
import type { InstanceOutcome } from './instance-outcome.js';
import type { LocalState } from './store.js';

/** Most events kept. */
const MOST_EVENTS = 200;

/** Something that happened to an instance, as the controller's Events say it. */
export interface DevEvent {
  /** RFC 3339, of the last time. */
  at: string;
  type: 'Normal' | 'Warning';
  reason: string;
  /** `namespace/name` of the instance. */
  instance: string;
  note: string;
  count: number;
}

/** One instance with the conditions that a cluster's controller would write. */
export interface DevInstanceStatus {
  namespace: string;
  name: string;
  instance_id: string;
  connector: string;
  version: string;
  tenant_id: string;
  hosting: 'Managed' | 'External';
  desired: number;
  ready: number;
  draining: number;
  conditions: Condition[];
  /** When hosts that still hold work are killed at the latest, RFC 3339, by replica id. */
  removed_by: Record<string, string>;
  /** Ids of replicas that were drained and are kept. */
  cordoned: string[];
  /** Names of its hosts' log files, without ending, by replica name. */
  logs: Record<string, string>;
}

/** status.json: what `aip dev` knows of its instances, from the first second on. */
export interface DevStatus {
  pid: number;
  instances: DevInstanceStatus[];
  events: DevEvent[];
}

/** Keeps status.json as it is now; writes follow each other, and the last state wins. */
export interface Publisher {
  event(event: Omit<DevEvent, 'at' | 'count'>): void;
  publish(state: LocalState, outcomes: ReadonlyMap<string, InstanceOutcome>): void;
  flush(): Promise<void>;
}

/** Opens the status file of a run; nothing of an earlier run stays in it. `onWrite` is called after each write, with what went wrong. */
export function openPublisher(
  file: string,
  onWrite: (error?: unknown) => void = () => undefined,
  now: () => number = Date.now,
): Publisher {
  const events: DevEvent[] = [];
  let instances: DevInstanceStatus[] = [];
  let written = '';
  let writing = Promise.resolve();
  const write = (): void => {
    const text = JSON.stringify({ pid: process.pid, instances, events } satisfies DevStatus);
    if (text === written) return;
    written = text;
    // A full disk must not end the fleet.
    writing = writing.then(() => writePrivate(file, text)).then(() => onWrite(), onWrite);
  };
  return {
    event: (event) => {
      const at = formatTime(now());
      const same = events.find(
        ({ instance, reason, note }) => instance === event.instance && reason === event.reason && note === event.note,
      );
      if (same) Object.assign(same, { at, count: same.count + 1 });
      else events.push({ ...event, at, count: 1 });
      if (events.length > MOST_EVENTS) events.shift();
      write();
    },
    publish: (state, outcomes) => {
      instances = instancesOf(state, outcomes);
      write();
    },
    flush: () => writing,
  };
}

function instancesOf(state: LocalState, outcomes: ReadonlyMap<string, InstanceOutcome>): DevInstanceStatus[] {
  return Object.entries(state.instances).flatMap(([key, { resource, uid, deleted }]) => {
    if (deleted) return [];
    const { metadata, spec } = resource;
    const found = outcomes.get(key);
    const replicas = Object.values(state.replicas).filter(({ instance }) => instance === key);
    return [
      {
        namespace: metadata.namespace,
        name: metadata.name,
        instance_id: connectorInstanceId(resource, uid),
        connector: spec.connector.type,
        version: spec.connector.version,
        tenant_id: spec.tenantId,
        hosting: spec.hosting,
        desired: spec.hosting === 'External' ? replicas.length : spec.replicas,
        ready: found?.plan.counts.ready ?? 0,
        draining: found?.plan.counts.draining ?? 0,
        conditions: found?.conditions ?? [],
        removed_by: Object.fromEntries(
          replicas.flatMap(({ namespace, name, replicaId }) => {
            const endsAt = found?.endsAt.get(`${namespace}/${name}`);
            return endsAt === undefined ? [] : [[replicaId, formatTime(endsAt)]];
          }),
        ),
        cordoned: replicas.flatMap(({ cordoned, retiring, replicaId }) => (cordoned && !retiring ? [replicaId] : [])),
        logs: Object.fromEntries(replicas.map(({ namespace, name }) => [name, `host-${namespace}.${name}`])),
      },
    ];
  });
}

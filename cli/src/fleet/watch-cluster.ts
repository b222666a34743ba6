import { KINDS } from '@aip/controller/internal/api';
import {
  type Kube,
  KubeGone,
  type KubeObject,
  KubeUnavailable,
  type ResourceKind,
  type WatchEvent,
} from '@aip/controller/internal/kube';
import { openDeadline, openTimer, pollLoop } from '@aip/runtime/internal/time';
import type { InstanceObject, ReplicaObject } from '../kube/objects.js';
import { notAllowed } from './cluster-fleet.js';
import { type InstanceView, instanceViews } from './instance-view.js';

/** A watch that says nothing for this long is opened again, in ms. */
const IDLE_MS = 90_000;
/** Pause before everything is read again after a failure, in ms. */
const AGAIN_MS = 1000;
/** Changes that come together are shown together: after this time, in ms. */
const GATHER_MS = 50;

/** What a watch hands on. */
export interface FleetWatcher {
  show(views: InstanceView[]): void;
  /** The API server does not answer; it is asked again. */
  lost(error: KubeUnavailable): void;
}

/** Shows all instances, and again whenever one changes, until `signal`. Failures that pass are waited out. Throws RightMissing, KubeError. */
export async function watchClusterFleet(
  kube: Kube,
  namespace: string | undefined,
  watcher: FleetWatcher,
  signal: AbortSignal,
): Promise<void> {
  await pollLoop(() => watchOnce(kube, namespace, watcher, signal), {
    signal,
    everyMs: () => AGAIN_MS,
    failed: (error) => {
      if (signal.aborted) return;
      if (error instanceof KubeUnavailable) watcher.lost(error);
      else if (!(error instanceof KubeGone)) throw notAllowed(error, namespace);
    },
  });
}

/** Reads both kinds and follows them until one of the watches ends. */
async function watchOnce(
  kube: Kube,
  namespace: string | undefined,
  watcher: FleetWatcher,
  signal: AbortSignal,
): Promise<void> {
  const [instances, replicas] = await Promise.all([
    kube.list<InstanceObject>(KINDS.connectorInstance, { namespace }),
    kube.list<ReplicaObject>(KINDS.connectorReplica, { namespace }),
  ]);
  const known = { instances: byUid(instances.items), replicas: byUid(replicas.items) };
  const show = (): void => {
    watcher.show(instanceViews([...known.instances.values()], [...known.replicas.values()]));
  };
  const planned = openTimer(show);
  show();
  const ended = openDeadline(signal);
  const follow = async <T extends KubeObject>(
    kind: ResourceKind,
    resourceVersion: string,
    objects: Map<string, T>,
  ): Promise<void> => {
    const options = { namespace, resourceVersion, idleMs: IDLE_MS, signal: ended.signal };
    for await (const event of kube.watch<T>(kind, options)) if (take(objects, event)) planned.start(GATHER_MS);
  };
  try {
    await Promise.race([
      follow(KINDS.connectorInstance, instances.resourceVersion, known.instances),
      follow(KINDS.connectorReplica, replicas.resourceVersion, known.replicas),
    ]);
  } finally {
    ended.abort();
    ended.clear();
    planned.stop();
  }
}

function byUid<T extends KubeObject>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.metadata.uid ?? '', item]));
}

/** Takes over what an event says; false when it says nothing of an object. */
function take<T extends KubeObject>(objects: Map<string, T>, { type, object }: WatchEvent<T>): boolean {
  if (type === 'BOOKMARK') return false;
  if (type === 'DELETED') return objects.delete(object.metadata.uid ?? '');
  objects.set(object.metadata.uid ?? '', object);
  return true;
}

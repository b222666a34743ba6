import { pollLoop } from '@aip/runtime/internal/time';
import { readClusterFleet } from '../../fleet/cluster-fleet.js';
import { readDevStatus, withDevFacts } from '../../fleet/dev-status.js';
import type { FleetSource } from '../../fleet/fleet-source.js';
import { openRegistry, type RegistryReader, RegistryUnreachable } from '../../fleet/registry-fleet.js';
import { watchClusterFleet } from '../../fleet/watch-cluster.js';
import { clusterSnapshot, type FleetSnapshot, registrySnapshot, type WatchSnapshot } from './snapshot.js';

/** How often a database is asked while watching, in ms: it has no watch of its own. */
const LOOK_MS = 1000;

/** A fleet's state now. Throws RegistryUnreachable, RightMissing, KubeError. */
export async function readFleet(source: FleetSource, namespace?: string): Promise<FleetSnapshot> {
  if (source.kind === 'cluster') {
    const { kube } = source.cluster;
    return clusterSnapshot(await readClusterFleet(kube, namespace).finally(() => kube.close()));
  }
  const registry = openRegistry(source.url);
  return readRegistry(registry, source, namespace).finally(() => registry.close());
}

/** Rows of the registry with the instances of a running `aip dev`, which answers before its database does. */
async function readRegistry(
  registry: RegistryReader,
  source: FleetSource & { kind: 'registry' },
  namespace: string | undefined,
): Promise<FleetSnapshot> {
  const status = await readDevStatus(source.dataDir);
  const instances = status?.instances.filter((instance) => namespace === undefined || instance.namespace === namespace);
  try {
    return registrySnapshot(withDevFacts(await registry.read(namespace), instances), instances);
  } catch (error) {
    if (!(error instanceof RegistryUnreachable) || !instances) throw error;
    return registrySnapshot([], instances, [{ source: 'registry', reason: error.message }]);
  }
}

/** What shows a fleet while it changes. */
export interface FleetWatchView<Snapshot extends WatchSnapshot = WatchSnapshot> {
  show(snapshot: Snapshot): void;
  /** What it is read from does not answer; it is asked again. */
  lost(reason: string): void;
}

/** Shows a fleet and its changes until `signal`. Throws RightMissing, KubeError. */
export async function watchFleet(
  source: FleetSource,
  namespace: string | undefined,
  view: FleetWatchView<FleetSnapshot>,
  signal: AbortSignal,
): Promise<void> {
  if (source.kind === 'registry') return watchRegistry(source, namespace, view, signal);
  const { kube } = source.cluster;
  const watcher = {
    show: (views: Parameters<typeof clusterSnapshot>[0]) => view.show(clusterSnapshot(views)),
    lost: (error: Error) => view.lost(error.message),
  };
  await watchClusterFleet(kube, namespace, watcher, signal).finally(() => kube.close());
}

async function watchRegistry(
  source: FleetSource & { kind: 'registry' },
  namespace: string | undefined,
  view: FleetWatchView<FleetSnapshot>,
  signal: AbortSignal,
): Promise<void> {
  const registry = openRegistry(source.url);
  try {
    await pollLoop(async () => view.show(await readRegistry(registry, source, namespace)), {
      signal,
      everyMs: () => LOOK_MS,
      failed: (error) => {
        if (!(error instanceof RegistryUnreachable)) throw error;
        view.lost(error.message);
      },
    });
  } finally {
    await registry.close();
  }
}

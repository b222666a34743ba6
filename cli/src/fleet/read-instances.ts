import type { DevInstanceStatus } from '@aip/controller/internal/data-folder';
import { UsageError } from '../client/errors.js';
import { readClusterFleet } from './cluster-fleet.js';
import { readDevStatus } from './dev-status.js';
import type { FleetSource } from './fleet-source.js';
import type { InstanceView } from './instance-view.js';

/** Instances of a cluster, or of a running `aip dev`. Throws UsageError for a bare registry, RightMissing, KubeError. */
export async function readInstances(
  source: FleetSource,
  namespace: string | undefined,
): Promise<(InstanceView | DevInstanceStatus)[]> {
  if (source.kind === 'cluster') {
    const { kube } = source.cluster;
    return readClusterFleet(kube, namespace).finally(() => kube.close());
  }
  const status = await readDevStatus(source.dataDir);
  if (!status)
    throw new UsageError(
      'A registry alone does not say how instances are.',
      '`aip fleet replicas` shows what it holds.',
    );
  return status.instances.filter((instance) => namespace === undefined || instance.namespace === namespace);
}

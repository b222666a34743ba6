import { KINDS } from '@aip/controller/internal/api';
import type { Kube } from '@aip/controller/internal/kube';
import { UsageError } from '../client/errors.js';
import { notAllowed } from '../fleet/cluster-fleet.js';
import type { ReplicaObject } from '../kube/objects.js';
import { logLine } from './log-line.js';

/** Most of one log that is read, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The last lines of the hosts of an instance or of one replica. Throws UsageError, RightMissing, KubeError. */
export async function clusterLogs(
  kube: Kube,
  name: string,
  namespace: string | undefined,
  show: { level: Parameters<typeof logLine>[2]['level']; json: boolean; tail: number },
): Promise<string[]> {
  const { items } = await kube
    .list<ReplicaObject>(KINDS.connectorReplica, { namespace })
    .catch((error: unknown) => Promise.reject(notAllowed(error, namespace)));
  const own = items.filter(({ metadata, spec }) => metadata.name === name || spec.instanceRef.name === name);
  if (own.length === 0)
    throw new UsageError(`There is no instance or replica ${name}.`, '`aip fleet replicas` shows what there is.');
  const lines: string[] = [];
  for (const { metadata, status } of own) {
    const pod = status?.podName;
    if (pod === undefined) continue;
    const text = await kube.podLog(
      { namespace: metadata.namespace ?? '', name: pod },
      {
        container: 'host',
        limitBytes: MOST_BYTES,
        tailLines: show.tail,
      },
    );
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const shown = logLine(metadata.name, line, show);
      if (shown !== undefined) lines.push(shown);
    }
  }
  return lines;
}

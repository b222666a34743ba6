import { KINDS } from '@aip/controller/internal/api';
import { UsageError } from '../client/errors.js';
import type { EventObject } from '../kube/objects.js';
import { notAllowed } from './cluster-fleet.js';
import { type EventView, eventView } from './describe/description.js';
import { readDevStatus } from './dev-status.js';
import type { FleetSource } from './fleet-source.js';

const KINDS_OF_FLEET: ReadonlySet<string> = new Set(['ConnectorInstance', 'ConnectorReplica']);

/** Events of instances and replicas, oldest first. Throws UsageError for a bare registry, RightMissing, KubeError. */
export async function fleetEvents(
  source: FleetSource,
  only: { name?: string | undefined; namespace?: string | undefined },
): Promise<EventView[]> {
  if (source.kind === 'cluster') {
    const { kube } = source.cluster;
    const { items } = await kube
      .list<EventObject>(KINDS.event, { namespace: only.namespace })
      .catch((error: unknown) => Promise.reject(notAllowed(error, only.namespace)))
      .finally(() => kube.close());
    return items
      .filter(({ regarding }) => KINDS_OF_FLEET.has(regarding?.kind ?? ''))
      .filter(
        ({ regarding }) =>
          only.name === undefined || regarding?.name === only.name || regarding?.name?.startsWith(`${only.name}-`),
      )
      .map(eventView)
      .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''));
  }
  const status = await readDevStatus(source.dataDir);
  if (!status) throw new UsageError('A registry alone keeps no events of instances.', 'Name an `aip dev` with --data.');
  return status.events
    .filter(({ instance }) => only.namespace === undefined || instance.startsWith(`${only.namespace}/`))
    .filter(({ instance }) => only.name === undefined || instance === only.name || instance.endsWith(`/${only.name}`))
    .map(({ at, type, reason, instance, note, count }) => ({ at, type, reason, about: instance, note, count }));
}

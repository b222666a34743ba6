import type { ConnectorInstanceStatus } from '../../../api/connector-instance.js';
import type { ConnectorReplica, ConnectorReplicaStatus } from '../../../api/connector-replica.js';
import type { ObservedReplica } from '../../../reconcile/inputs.js';
import { ready } from '../../../reconcile/rollout/ready.js';

/** Most versions that are listed; an instance has two but for rollouts that overtake each other. */
export const MAX_VERSIONS = 32;

export type VersionStatus = NonNullable<ConnectorInstanceStatus['versions']>[number];

/** One replica with its status as it is written now. */
export interface ReplicaOfVersion {
  replica: Pick<ConnectorReplica, 'spec'>;
  seen: ObservedReplica;
  status: Pick<ConnectorReplicaStatus, 'version' | 'drain'>;
}

/** The versions that replicas of an instance run, the admitted one first, with what those that drain still hold. Pure. */
export function versionsOf(replicas: readonly ReplicaOfVersion[], admittedId: string | undefined): VersionStatus[] {
  const byId = Map.groupBy(
    replicas.filter(({ replica }) => replica.spec.versionId !== undefined),
    ({ replica }) => replica.spec.versionId as string,
  );
  return [...byId]
    .sort(([a], [b]) => Number(b === admittedId) - Number(a === admittedId) || (a < b ? -1 : 1))
    .slice(0, MAX_VERSIONS)
    .map(([versionId, own]) => {
      const label = own.find(({ status }) => status.version !== undefined)?.status.version;
      const manifestDigest = own.find(({ replica }) => replica.spec.manifestDigest !== undefined)?.replica.spec
        .manifestDigest;
      const draining = own.filter(({ seen }) => seen.retiring || seen.record === 'draining');
      const drains = own.flatMap(({ status }) => status.drain ?? []);
      const deadlines = drains.flatMap(({ deadline }) => deadline ?? []);
      const goes = draining.length === own.length && deadlines.length > 0 && deadlines.length === drains.length;
      return {
        versionId,
        ...(label !== undefined && { version: label }),
        ...(manifestDigest !== undefined && { manifestDigest }),
        replicas: own.length,
        readyReplicas: own.filter(({ seen }) => ready(seen)).length,
        drainingReplicas: draining.length,
        pinnedActions: drains.reduce((sum, { pinnedActions }) => sum + pinnedActions, 0),
        ...(goes && { removedBy: deadlines.sort().at(-1) as string }),
      };
    });
}

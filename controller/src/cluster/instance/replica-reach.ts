import { formatTime } from '@aip/runtime/internal/protocol';
import type { ConnectorReplica, ConnectorReplicaStatus } from '../../api/connector-replica.js';
import type { RegistryReplica } from '../../fleet/fleet-registry.js';
import type { ReplicaFailure } from '../../fleet/outcomes/last-failures.js';

/** A failure is written again after this time at the earliest, in ms, unless the circuit changes: history belongs in the log. */
export const FAILURE_PAUSE_MS = 60_000;

/** How gateways reach a host. */
export type ReplicaReach = Pick<ConnectorReplicaStatus, 'circuit' | 'lastFailure'>;

/** How gateways reach a replica's host, with its last failure; the previous status is kept while nothing changes. Pure. */
export function replicaReach(
  before: ReplicaReach | undefined,
  { record, failure, now }: { record: RegistryReplica | undefined; failure: ReplicaFailure | undefined; now: number },
): ReplicaReach {
  const circuit = record && (record.circuitOpenUntil > now ? 'Open' : 'Closed');
  const known = before?.lastFailure;
  const isNews =
    failure !== undefined &&
    (!known || circuit !== before?.circuit || failure.at - Date.parse(known.time) >= FAILURE_PAUSE_MS);
  const lastFailure = isNews ? failureText(failure) : known;
  return { ...(circuit && { circuit }), ...(lastFailure && { lastFailure }) };
}

function failureText({ kind, actionId, endpoint, at }: ReplicaFailure): ReplicaReach['lastFailure'] {
  const { origin } = new URL(endpoint);
  const time = formatTime(at);
  return kind === 'unreached'
    ? { reason: 'Unreached', message: `no host at ${origin} took ${actionId}; nothing of it began`, time }
    : { reason: 'OutcomeUnknown', message: `the answer of ${origin} to ${actionId} was lost`, time };
}

/** Label of the version that a replica runs, as far as it is known: that of the admitted version, or what was written before. Pure. */
export function runningVersion(
  { spec, status }: Pick<ConnectorReplica, 'spec' | 'status'>,
  admitted: { id: string | undefined; label: string },
): string | undefined {
  return spec.versionId !== undefined && spec.versionId === admitted.id ? admitted.label : status?.version;
}

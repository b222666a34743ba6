import { parseLeaseArray } from '../../protocol/time.js';
import type { ConnectorHostRegistration, Manifest } from '../../protocol/types.js';
import type { Replica } from '../replicas.js';

/** The largest capacity that a replica's record holds. */
const MAX_CAPACITY = 2_147_483_647;

/** What a proposal is held against: the pre-admitted records (docs/protocol/control-plane.md#register). */
export interface Preadmitted {
  readonly replica: Replica;
  readonly version: {
    readonly id: string;
    readonly typeId: string;
    readonly status: string;
    readonly manifestDigest: string;
    readonly artifactDigest: string;
    readonly capabilityCount: number;
    readonly agent: Manifest['agent'];
    /** Why the attestation is not valid, or undefined. */
    readonly attestationProblem: string | undefined;
  };
  readonly instance: {
    readonly id: string;
    readonly typeId: string;
    readonly tenantId: string;
    readonly configRevision: number;
    readonly secretProviderRef: string;
    readonly enabled: boolean;
  };
}

/** Why a register proposal does not match what was admitted, or undefined. Each member is compared alone and exactly. */
export function registrationProblem(proposal: ConnectorHostRegistration, known: Preadmitted): string | undefined {
  const { replica } = proposal;
  const { version, instance } = known;
  const expected: [string, unknown, unknown][] = [
    ['version_id', replica.version_id, known.replica.versionId],
    ['version status', version.status, 'active'],
    ['manifest_digest', proposal.manifest_digest, version.manifestDigest],
    ['artifact_digest', proposal.artifact_digest, version.artifactDigest],
    ['instance_id', replica.instance_id, known.replica.instanceId],
    ['connector type', version.typeId, instance.typeId],
    ['instance', instance.enabled, true],
    ['tenant_id', proposal.tenant_id, instance.tenantId],
    ['secret_provider_ref', proposal.secret_provider_ref, instance.secretProviderRef],
    ['capability_count', proposal.capability_count, version.capabilityCount],
    ['status', replica.status, 'ready'],
    ['active_assignments', replica.active_assignments, 0],
    ['health_revision', replica.health_revision, 0],
    ['last_control_request_id', replica.last_control_request_id ?? undefined, undefined],
    ['last_control_request_digest', replica.last_control_request_digest ?? undefined, undefined],
    ['peer_principal_id', replica.peer_principal_id, known.replica.peerPrincipalId],
    ['peer_principal_kind', replica.peer_principal_kind, known.replica.peerPrincipalKind],
    ['manifest agent', version.agent.id, replica.peer_principal_id],
    ['manifest agent kind', version.agent.kind, replica.peer_principal_kind],
    ['peer_did', replica.peer_did, known.replica.peerDid],
    ['trust_domain', replica.trust_domain, known.replica.trustDomain],
    ['endpoint', replica.endpoint, known.replica.endpoint],
    ['transport_profile', replica.transport_profile, known.replica.transportProfile],
    ['topology.region', replica.topology?.region ?? 'global', known.replica.topology.region],
    ['topology.zone', replica.topology?.zone ?? 'default', known.replica.topology.zone],
    ['topology.capacity_class', replica.topology?.capacity_class ?? 'standard', known.replica.topology.capacityClass],
  ];
  const wrong = expected.find(([, given, admitted]) => given !== admitted);
  if (wrong) return `${wrong[0]} is not the admitted one`;
  if (proposal.config_revision !== instance.configRevision && proposal.config_revision !== known.replica.configRevision)
    return 'config_revision is not the admitted one';
  if (version.attestationProblem) return version.attestationProblem;
  if (!isLeaseArray(replica.lease_expires_at)) return 'lease_expires_at is not a nine-item time';
  if (!(replica.capacity > 0 && replica.capacity <= MAX_CAPACITY)) return `the capacity must be 1 to ${MAX_CAPACITY}`;
  if (replica.capacity < known.replica.activeAssignments)
    return 'the capacity is below the work that is pinned to the replica';
  return undefined;
}

function isLeaseArray(value: unknown): boolean {
  try {
    parseLeaseArray(value as number[]);
    return true;
  } catch {
    return false;
  }
}

import type { Clock } from '../../protocol/clock.js';
import { digestOf } from '../../protocol/digest.js';
import { leaseArray } from '../../protocol/time.js';
import type { ConnectorHostRegistration, Principal } from '../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import type { HostConfig } from '../config/config.js';
import type { BoundManifest } from '../manifest/bind-manifest.js';

/** The complete proposal of a register command (docs/protocol/control-plane.md#register). */
export function registrationOf(
  config: HostConfig,
  { capabilities, digest }: BoundManifest,
  principal: Principal,
  clock: Clock,
): ConnectorHostRegistration {
  return {
    replica: {
      id: config.replicaId,
      instance_id: config.instanceId,
      version_id: config.versionId,
      endpoint: config.publicEndpoint,
      peer_principal_id: principal.id,
      peer_principal_kind: principal.kind,
      peer_did: principal.did as string,
      trust_domain: config.trustDomain,
      transport_profile: NATIVE_HTTP_PROFILE,
      topology: config.topology,
      status: 'ready',
      lease_expires_at: leaseArray(clock() + config.leaseTtlMs),
      capacity: config.maxInFlight,
      active_assignments: 0,
      health_revision: 0,
    },
    manifest_digest: digest,
    artifact_digest: config.artifactDigest,
    tenant_id: config.tenant.id,
    config_revision: config.configRevision,
    secret_provider_ref: config.secretProviderRef,
    capability_count: capabilities.size,
  };
}

/** Digest of a proposal without its times: two processes of one replica may continue with one lease when theirs are equal. */
export function registrationDigest({ replica, ...rest }: ConnectorHostRegistration): string {
  return digestOf({ ...rest, replica: { ...replica, lease_expires_at: null } });
}

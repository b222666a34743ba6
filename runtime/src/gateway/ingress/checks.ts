import type { Envelope } from '../../protocol/envelope.js';
import { verifyEnvelope } from '../../protocol/envelope.js';
import { AipError, IngressNotAuthorized, StorageUnavailable } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import { parseTime } from '../../protocol/time.js';
import type { Principal } from '../../protocol/types.js';
import type { IngressSender } from '../../registry/ingress/sender.js';

/** A publisher whose signature was verified: the principal it names and the DID that signed. */
export interface SignedSender {
  from: Principal;
  did: string;
}

/**
 * Refuses an envelope that is not addressed to the central principal: id and kind, trust domain and DID when present. `centralDids` are all
 * DIDs under which it may be addressed now.
 */
export function checkRecipient(envelope: Envelope, central: Principal, centralDids: readonly string[]): void {
  const { to } = envelope;
  const exact =
    samePrincipal(to, central) &&
    (to?.did === undefined || centralDids.includes(to.did)) &&
    (to?.trust_domain === undefined || to.trust_domain === central.trust_domain);
  if (!exact) throw new IngressNotAuthorized('the envelope is not addressed to this server');
}

/** Verifies the envelope's signature and returns who signed. Every failure is connector_event.not_authorized. */
export async function signedSender(envelope: Envelope): Promise<SignedSender> {
  let did: string;
  try {
    did = await verifyEnvelope(envelope);
  } catch (cause) {
    if (cause instanceof AipError && !(cause instanceof StorageUnavailable)) {
      throw new IngressNotAuthorized('the envelope signature is missing or wrong', { cause });
    }
    throw cause;
  }
  if (!envelope.from) throw new IngressNotAuthorized('the envelope has no sender');
  if (envelope.from.did !== undefined && envelope.from.did !== did) {
    throw new IngressNotAuthorized('the sender names another DID than the signer');
  }
  return { from: envelope.from, did };
}

/** Refuses an envelope whose sent_at is more than `maxAgeMs` old or more than `maxSkewMs` ahead; the edges pass. */
export function checkSentAt(envelope: Envelope, now: number, maxAgeMs: number, maxSkewMs: number): void {
  const sentAt = parseTime(envelope.sent_at);
  if (sentAt < now - maxAgeMs) throw new AipError('connector_event.invalid', 'the envelope is too old; sign it again');
  if (sentAt > now + maxSkewMs)
    throw new AipError('connector_event.invalid', 'the envelope is dated too far ahead; check the clock');
}

/** What both route objects name, and the registry must confirm. */
export interface ClaimedRoute {
  tenant_id: string;
  instance_id: string;
  replica_id: string;
  version_id: string;
  manifest_digest: string;
}

/**
 * Confirms a claimed route against the registry's current state: replica, instance, version, peer identity, live lease, tenant, active
 * attested version with this manifest (docs/protocol/ingress.md#provider-events). A version that its instance has moved on from still counts while the
 * lease of its replica lives. Throws IngressNotAuthorized.
 */
export function confirmRoute(
  route: ClaimedRoute,
  record: IngressSender | undefined,
  sender: SignedSender,
  now: number,
): IngressSender {
  const refuse = (what: string): IngressNotAuthorized => new IngressNotAuthorized(what);
  if (!record) throw refuse('the replica is not known');
  const { replica, instance, version } = record;
  if (
    replica.id !== route.replica_id ||
    replica.instanceId !== route.instance_id ||
    instance.id !== route.instance_id
  ) {
    throw refuse('the replica does not belong to the instance of the route');
  }
  if (replica.versionId !== route.version_id || version.id !== route.version_id) {
    throw refuse('the replica does not run the version of the route');
  }
  if (replica.status === 'offline' || replica.leaseExpiresAt <= now) throw refuse('the replica has no active lease');
  const { from, did } = sender;
  if (
    !samePrincipal(from, { id: replica.peerPrincipalId, kind: replica.peerPrincipalKind }) ||
    did !== replica.peerDid
  ) {
    throw refuse('the sender is not the registered principal of the replica');
  }
  if (from.trust_domain !== replica.trustDomain) throw refuse('the sender is not in the trust domain of the replica');
  if (!instance.enabled) throw refuse('the instance is disabled');
  if (instance.tenantId !== route.tenant_id) throw refuse("the route's tenant is not the instance's tenant");
  if (version.status !== 'active') throw refuse('the version is not active');
  if (version.manifestDigest !== route.manifest_digest)
    throw refuse("the route's manifest digest is not the version's");
  if (!version.attested) throw refuse('the version has no valid attestation');
  return record;
}

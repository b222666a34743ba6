import { formatTime, NamedError } from '@aip/runtime/internal/protocol';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import type { Kube } from '../../kube/kube.js';
import { readCertificate } from '../../trust/certificates/certificate.js';
import { DATA, TRUST_ANNOTATIONS, trustNames } from '../../trust/names.js';
import { changedSecret, newSecret, type SecretObject, secretText } from '../../trust/objects.js';
import type { ActiveAuthority } from '../../trust/replicas/active-authority.js';
import { newReplicaIdentity, type ReplicaPlace, replicaIdentity } from '../../trust/replicas/issue-replica.js';
import type { TrustSettings } from '../../trust/settings.js';
import { identitySecretName } from '../objects/names.js';
import { instanceLabels, ownedBy } from '../objects/owned.js';
import { type Ensure, mustBeOwned } from './ensure.js';

/** What others may know of a replica's identity: its DID, when its TLS leaf ends (RFC 3339), and which authority signed that. */
export interface KnownIdentity {
  did: string;
  leafExpires: string;
  issuer: string;
}

/** The identity of a replica cannot be used; the message says what to do. */
export class IdentityUnusable extends NamedError {
  constructor(namespace: string, replica: string, why: string) {
    super(
      `the Secret ${namespace}/${identitySecretName(replica)} cannot be used: ${why}; delete ConnectorReplica ${replica} to have another one made`,
    );
  }
}

/** The key of a replica is gone: its Secret was removed or holds another. A DID never changes, so no other key will do: the replica has to be replaced. */
export class IdentityLost extends NamedError {
  constructor(namespace: string, replica: string) {
    super(
      `the Secret ${namespace}/${identitySecretName(replica)} was removed or changed; another replica takes the place of ${replica}`,
    );
  }
}

/** The fleet's authority is not there, or cannot be used, so that nothing can be signed. */
export class AuthorityMissing extends NamedError {
  constructor({ namespace, release }: TrustSettings) {
    super(
      `the fleet's authority in Secret ${namespace}/${trustNames(release).ca} cannot sign: see the log of the leading controller`,
    );
  }
}

/** What making an identity needs. */
export interface IdentityDeps {
  kube: Kube;
  ensure: Ensure;
  settings: TrustSettings;
  /** The authority that signs now; undefined when there is none that can. */
  authority(): Promise<ActiveAuthority | undefined>;
  clusterDomain: string;
  /** Ms since the epoch. */
  now: number;
}

/**
 * Gives the identity of a replica: makes its Secret (seed and leaf) when there is none, and writes another leaf when the present one is due.
 * The seed never changes. Throws IdentityLost, IdentityUnusable, AuthorityMissing, NameTaken.
 */
export async function ensureIdentity(replica: ConnectorReplica, deps: IdentityDeps): Promise<KnownIdentity> {
  const { kube, settings, now } = deps;
  const { namespace, name } = replica.metadata;
  const authority = async (): Promise<ActiveAuthority> => {
    const active = await deps.authority();
    if (!active) throw new AuthorityMissing(settings);
    return active;
  };
  const wanted = replica.spec.peerDid;
  // One whose DID is not noted is new, unless a reconcile was interrupted: that costs no read.
  const made = wanted === undefined ? await madeIdentity(replica, await authority(), deps) : undefined;
  if (made && 'known' in made) return made.known;
  const present = made?.present ?? (await kube.get<SecretObject>(KINDS.secret, secretRef(replica)));
  if (!present) throw new IdentityLost(namespace, name);
  await mustBeOwned(kube, KINDS.secret, present, replica);
  const identity = await replicaIdentity(present, placeOf(replica, deps), await authority(), now);
  if (identity.state === 'broken') throw new IdentityUnusable(namespace, name, identity.message);
  const { did, issuer } = identity;
  if (wanted !== undefined && wanted !== did) throw new IdentityLost(namespace, name);
  if (identity.state === 'current') return known(did, issuer, secretText(present, DATA.tlsCert) as string);
  const annotations = { [TRUST_ANNOTATIONS.issuer]: issuer };
  await kube.replace(KINDS.secret, changedSecret(present, identity.data, annotations));
  return known(did, issuer, identity.data['tls.crt']);
}

/** Makes the Secret of a new identity; gives the one that is there already, if there is. Throws NameTaken. */
async function madeIdentity(
  replica: ConnectorReplica,
  authority: ActiveAuthority,
  deps: IdentityDeps,
): Promise<{ known: KnownIdentity } | { present: SecretObject }> {
  const { did, issuer, data } = await newReplicaIdentity(placeOf(replica, deps), authority, deps.now);
  const secret = newSecret({ ...secretRef(replica), annotations: { [TRUST_ANNOTATIONS.issuer]: issuer } }, data);
  secret.metadata.labels = { ...secret.metadata.labels, ...instanceLabels(replica.spec.instanceRef.name) };
  secret.metadata.ownerReferences = [ownedBy(replica)];
  const there = await deps.ensure.created(KINDS.secret, replica, secret);
  if (secretText(there, DATA.did) !== did) return { present: there };
  return { known: known(did, issuer, data['tls.crt']) };
}

function known(did: string, issuer: string, certPem: string): KnownIdentity {
  return { did, issuer, leafExpires: formatTime(readCertificate(certPem).notAfter) };
}

function secretRef({ metadata: { namespace, name } }: ConnectorReplica): { namespace: string; name: string } {
  return { namespace, name: identitySecretName(name) };
}

function placeOf({ metadata, spec }: ConnectorReplica, { clusterDomain }: IdentityDeps): ReplicaPlace {
  return { replica: metadata.name, instance: spec.instanceRef.name, namespace: metadata.namespace, clusterDomain };
}

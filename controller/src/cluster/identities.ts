import { formatTime } from '@aip/runtime/protocol/time.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import { KINDS } from '../kube/kinds.js';
import type { Kube } from '../kube/kube.js';
import { activeAuthority } from '../trust/active-authority.js';
import { readCertificate } from '../trust/certificate.js';
import { replicaIdentity } from '../trust/issue-replica.js';
import { DATA, TRUST_ANNOTATIONS, trustNames } from '../trust/names.js';
import { changedSecret, newSecret, type SecretObject, secretText } from '../trust/objects.js';
import type { TrustSettings } from '../trust/settings.js';
import { type Ensure, mustBeOwned } from './ensure.js';
import { identitySecretName } from './objects/names.js';
import { instanceLabels, ownedBy } from './objects/owned.js';

/** What others may know of a replica's identity: its DID, when its TLS leaf ends (RFC 3339), and which authority signed that. */
export interface KnownIdentity {
  did: string;
  leafExpires: string;
  issuer: string;
}

/** The identity of a replica cannot be used; the message says what to do. */
export class IdentityUnusable extends Error {
  constructor(namespace: string, replica: string, why: string) {
    super(
      `the Secret ${namespace}/${identitySecretName(replica)} cannot be used: ${why}; delete ConnectorReplica ${replica} to have another one made`,
    );
    this.name = 'IdentityUnusable';
  }
}

/** The key of a replica is gone: its Secret was removed or holds another. A DID never changes, so no other key will do: the replica has to be replaced. */
export class IdentityLost extends Error {
  constructor(namespace: string, replica: string) {
    super(
      `the Secret ${namespace}/${identitySecretName(replica)} was removed or changed; another replica takes the place of ${replica}`,
    );
    this.name = 'IdentityLost';
  }
}

/** The fleet's authority is not there, or cannot be used, so that nothing can be signed. */
export class AuthorityMissing extends Error {
  constructor({ namespace, release }: TrustSettings) {
    super(
      `the fleet's authority in Secret ${namespace}/${trustNames(release).ca} cannot sign: see the log of the leading controller`,
    );
    this.name = 'AuthorityMissing';
  }
}

/**
 * Gives the identity of a replica: makes its Secret (seed and leaf) when there is none, and writes another leaf when the present one is due.
 * The seed never changes. Throws IdentityLost, IdentityUnusable, AuthorityMissing, NameTaken.
 */
export async function ensureIdentity(
  replica: ConnectorReplica,
  deps: { kube: Kube; ensure: Ensure; settings: TrustSettings; clusterDomain: string; now: number },
): Promise<KnownIdentity> {
  const { kube, ensure, settings, clusterDomain, now } = deps;
  const { namespace, name } = replica.metadata;
  const instance = replica.spec.instanceRef.name;
  const ref = { namespace, name: identitySecretName(name) };
  const present = await kube.get<SecretObject>(KINDS.secret, ref);
  if (present) await mustBeOwned(kube, KINDS.secret, present, replica);
  else if (replica.spec.peerDid !== undefined) throw new IdentityLost(namespace, name);
  const authority = await activeAuthority(kube, settings);
  if (!authority) throw new AuthorityMissing(settings);
  const place = { replica: name, instance, namespace, clusterDomain };
  const identity = await replicaIdentity(present, place, authority, now);
  if (identity.state === 'broken') throw new IdentityUnusable(namespace, name, identity.message);
  const { did, issuer } = identity;
  if (replica.spec.peerDid !== undefined && replica.spec.peerDid !== did) throw new IdentityLost(namespace, name);
  const known = (certPem: string): KnownIdentity => ({
    did,
    issuer,
    leafExpires: formatTime(readCertificate(certPem).notAfter),
  });
  if (identity.state === 'current') return known(secretText(present as SecretObject, DATA.tlsCert) as string);
  const annotations = { [TRUST_ANNOTATIONS.issuer]: issuer };
  if (present) {
    await kube.replace(KINDS.secret, changedSecret(present, identity.data, annotations));
    return known(identity.data['tls.crt']);
  }
  const secret = newSecret({ ...ref, annotations }, identity.data);
  secret.metadata.labels = { ...secret.metadata.labels, ...instanceLabels(instance) };
  secret.metadata.ownerReferences = [ownedBy(replica)];
  const made = await ensure.created(KINDS.secret, replica, secret);
  // Somebody else made it first: theirs counts.
  return secretText(made, DATA.did) === did ? known(identity.data['tls.crt']) : ensureIdentity(replica, deps);
}

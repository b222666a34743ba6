import { newSeedHex, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { formatTime } from '@aip/runtime/protocol/time.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import { KINDS } from '../kube/kinds.js';
import type { Kube } from '../kube/kube.js';
import { issueLeaf } from '../trust/ca.js';
import { readCertificate } from '../trust/certificate.js';
import { readCa, readKey, readLeaf, signingPair } from '../trust/material.js';
import { DATA, TRUST_ANNOTATIONS, trustNames } from '../trust/names.js';
import { changedSecret, newSecret, type SecretObject } from '../trust/objects.js';
import { decideRenewal } from '../trust/renewal.js';
import type { Ensure } from './ensure.js';
import { identitySecretName } from './objects/names.js';
import { instanceLabels, ownedBy } from './objects/owned.js';

/** The identity of a replica: its signing key's DID, when its TLS leaf ends, and which authority signed that. */
export interface ReplicaIdentity {
  did: string;
  /** RFC 3339. */
  leafExpires: string;
  issuer: string;
}

/** The fleet's authority cannot sign, or a replica's identity cannot be read; the message says what to do. */
export class IdentityUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IdentityUnusable';
  }
}

/**
 * Gives the identity of a replica: makes its Secret (seed and leaf) when there is none, and issues another leaf when the present one is due.
 * The seed never changes. Throws IdentityUnusable.
 */
export async function ensureIdentity(
  replica: ConnectorReplica,
  dnsNames: readonly string[],
  {
    kube,
    ensure,
    release,
    releaseNamespace,
    now,
  }: { kube: Kube; ensure: Ensure; release: string; releaseNamespace: string; now: number },
): Promise<ReplicaIdentity> {
  const { namespace, name } = replica.metadata;
  const ref = { namespace, name: identitySecretName(name) };
  const present = await kube.get<SecretObject>(KINDS.secret, ref);
  const caName = trustNames(release).ca;
  const caSecret = await kube.get<SecretObject>(KINDS.secret, { namespace: releaseNamespace, name: caName });
  const ca = readCa(caSecret);
  if (ca.state !== 'read' || !ca.value.active || !caSecret)
    throw new IdentityUnusable(`the fleet's authority in Secret ${releaseNamespace}/${caName} cannot sign yet`);
  const activeCa = ca.value.active;
  const leaf = readLeaf(present);
  const renewal = decideRenewal(
    leaf.state === 'read' ? leaf.value : undefined,
    { name: `${namespace}/${name}`, dnsNames, activeCa },
    now,
  );
  const issued = async () => {
    const made = await issueLeaf(signingPair(caSecret), { dnsNames, now });
    return { texts: { [DATA.tlsCert]: made.certPem, [DATA.tlsKey]: made.keyPem }, certPem: made.certPem };
  };
  const annotations = { [TRUST_ANNOTATIONS.issuer]: activeCa.id };
  if (!present) {
    const { texts, certPem } = await issued();
    const seed = newSeedHex();
    const secret = newSecret({ ...ref, annotations }, { ...texts, [DATA.seed]: seed });
    const { labels } = secret.metadata;
    const owned = {
      ...secret,
      metadata: {
        ...secret.metadata,
        labels: { ...labels, ...instanceLabels(replica.spec.instanceRef.name) },
        ownerReferences: [ownedBy(replica)],
      },
    };
    const made = await ensure.created(KINDS.secret, replica, owned);
    if (made.data?.[DATA.seed] !== owned.data?.[DATA.seed])
      return ensureIdentity(replica, dnsNames, { kube, ensure, release, releaseNamespace, now });
    return identity(signingKeyFromSeed(seed).did, certPem, activeCa.id);
  }
  const key = readKey(present);
  if (key.state !== 'read' || !key.value.did)
    throw new IdentityUnusable(
      `the Secret ${namespace}/${ref.name} holds no usable seed; delete ConnectorReplica ${name} to have another one made`,
    );
  if (!renewal.renew && leaf.state === 'read')
    return identity(
      key.value.did,
      leaf.value.pem,
      present.metadata.annotations?.[TRUST_ANNOTATIONS.issuer] ?? activeCa.id,
    );
  const { texts, certPem } = await issued();
  await kube.replace(KINDS.secret, changedSecret(present, texts, annotations));
  return identity(key.value.did, certPem, activeCa.id);
}

function identity(did: string, certPem: string, issuer: string): ReplicaIdentity {
  return { did, leafExpires: formatTime(readCertificate(certPem).notAfter), issuer };
}

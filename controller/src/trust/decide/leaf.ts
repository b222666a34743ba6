import type { Certificate } from '../certificates/certificate.js';
import { decideRenewal } from '../certificates/renewal.js';
import type { Stored } from '../material.js';
import { DATA, type KeyRole } from '../names.js';
import type { TrustInputs } from './inputs.js';
import type { TrustDecision } from './step.js';

const NOTHING: TrustDecision = { steps: [], observations: [] };

/** A service's TLS leaf. It lies in the Secret of the signing key, so it waits until that one is there and sound. */
export function decideLeaf(role: KeyRole, inputs: TrustInputs): TrustDecision {
  const object = inputs.names.key[role];
  const leaf = inputs.leaves[role];
  if (inputs.keys[role].state !== 'read') return NOTHING;
  if (leaf.state === 'broken') {
    const message = `${leaf.message}: remove ${DATA.tlsCert} and ${DATA.tlsKey} from the Secret to have a new certificate issued`;
    return { steps: [], observations: [{ object, type: 'Stalled', reason: 'CertificateInvalid', message }] };
  }
  const found = leaf.state === 'read' ? leaf.value : undefined;
  const offer = inputs.offered?.[role];
  if (offer !== undefined) return decideAdoption(role, found, offer, inputs);
  const wanted = inputs.leafNames[role];
  const activeCa = inputs.ca.state === 'read' ? inputs.ca.value.active : undefined;
  if (activeCa === undefined) return NOTHING;
  const { renew, reason, message, dueAt } = decideRenewal(found, { name: object, ...wanted, activeCa }, inputs.now);
  if (!renew) return { steps: [], observations: [], wakeAt: dueAt };
  return { steps: [{ do: 'issue-leaf', role, ...wanted, object, reason, message }], observations: [] };
}

/** cert-manager's leaf is taken over once its authority is published everywhere. One of a public authority has none to publish. */
function decideAdoption(
  role: KeyRole,
  found: Certificate | undefined,
  offer: Stored<Certificate>,
  { names, foreignAuthorities, published }: TrustInputs,
): TrustDecision {
  const source = names.certificateSecret(role);
  const object = names.key[role];
  if (offer.state === 'broken') {
    const message = `${offer.message}: cert-manager makes another one when the Secret is deleted`;
    return { steps: [], observations: [{ object: source, type: 'Stalled', reason: 'CertificateInvalid', message }] };
  }
  if (offer.state === 'absent') {
    const message = `cert-manager has not written the Secret ${source} yet`;
    return { steps: [], observations: [{ object: source, type: 'Rotating', reason: 'CertificatePending', message }] };
  }
  const isKnown = foreignAuthorities
    .filter((authority) => offer.value.issuedBy(authority))
    .every(({ pem }) => published.every(({ bundle }) => bundle.authorities.some((known) => known.pem === pem)));
  if (!isKnown || found?.pem === offer.value.pem) return NOTHING;
  const message = `the certificate that cert-manager wrote into ${source} is used`;
  return { steps: [{ do: 'adopt-leaf', role, object, reason: 'CertificateOffered', message }], observations: [] };
}

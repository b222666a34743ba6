import { DATA, type KeyRole } from '../names.js';
import { decideRenewal } from '../renewal.js';
import type { TrustInputs } from './inputs.js';
import type { TrustDecision } from './step.js';

const NOTHING: TrustDecision = { steps: [], observations: [] };

/** A service's TLS leaf. It lies in the Secret of the signing key, so it waits until that one is there and sound. */
export function decideLeaf(role: KeyRole, inputs: TrustInputs): TrustDecision {
  const object = inputs.names.key[role];
  const leaf = inputs.leaves[role];
  const wanted = inputs.leafNames?.[role];
  if (wanted === undefined || inputs.keys[role].state !== 'read') return NOTHING;
  if (leaf.state === 'broken') {
    const message = `${leaf.message}: remove ${DATA.tlsCert} and ${DATA.tlsKey} from the Secret to have a new certificate issued`;
    return { steps: [], observations: [{ object, type: 'Stalled', reason: 'CertificateInvalid', message }] };
  }
  const activeCa = inputs.ca.state === 'read' ? inputs.ca.value.active : undefined;
  if (activeCa === undefined) return NOTHING;
  const found = leaf.state === 'read' ? leaf.value : undefined;
  const { renew, reason, message, dueAt } = decideRenewal(found, { name: object, ...wanted, activeCa }, inputs.now);
  if (!renew) return { steps: [], observations: [], wakeAt: dueAt };
  return { steps: [{ do: 'issue-leaf', role, ...wanted, object, reason, message }], observations: [] };
}

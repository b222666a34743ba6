import { KEY_ROLES } from '../names.js';
import { decideAuthority } from './authority.js';
import type { TrustInputs } from './inputs.js';
import { decideKey } from './key.js';
import { decideLeaf } from './leaf.js';
import { decidePublication } from './publish.js';
import { joined, type TrustDecision } from './step.js';

/**
 * What to do next about the fleet's trust, from what is there. Rotations go first, since one that lost its publication takes its mark back
 * before the publication is repeated. After the steps were carried out, look and decide again, until there are none.
 */
export function decideTrust(inputs: TrustInputs): TrustDecision {
  return joined([
    decideAuthority(inputs),
    ...KEY_ROLES.map((role) => decideKey(role, inputs)),
    ...KEY_ROLES.map((role) => decideLeaf(role, inputs)),
    decidePublication(inputs),
  ]);
}

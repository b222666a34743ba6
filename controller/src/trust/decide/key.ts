import type { StoredKey } from '../material.js';
import type { KeyRole } from '../names.js';
import type { TrustInputs } from './inputs.js';
import { decideRotation } from './rotation.js';
import type { TrustDecision } from './step.js';

/**
 * A service's signing key: made when there is none, rotated when asked. A key that was lost while its DID is published is followed by one
 * that becomes active only after the overlap, as in a rotation: those that still run with the lost one stay trusted.
 */
export function decideKey(role: KeyRole, inputs: TrustInputs): TrustDecision {
  const object = inputs.names.key[role];
  const stored = inputs.keys[role];
  const known = inputs.published[0].bundle.dids[role];
  if (stored.state === 'absent') {
    const lost = known.length > 0;
    const message = lost
      ? `the Secret is missing: a new key replaces it unless a backup is restored first`
      : 'the key is made';
    const reason = lost ? 'KeyLost' : 'KeyMissing';
    const slot = lost ? 'next' : 'active';
    return {
      steps: [{ do: 'create-key', role, slot, previousDids: known, object, reason, message }],
      observations: [{ object, type: 'Rotating', reason, message }],
    };
  }
  if (stored.state === 'broken') {
    const message = `${stored.message}: put the Secret back from a backup, or delete it to have a new key made; what was published keeps the DIDs it has`;
    return { steps: [], observations: [{ object, type: 'Stalled', reason: 'KeyInvalid', message }] };
  }
  const key = stored.value;
  return decideRotation(
    {
      subject: role,
      object,
      annotations: key,
      next: key.nextDid,
      published: inputs.published.every(({ bundle }) => bundle.dids[role].includes(key.nextDid ?? '')),
      previous: key.previousDids,
      inUse: undefined,
      due: undefined,
    },
    inputs.now,
    inputs.overlapMs,
  );
}

/** The DIDs that everybody has to trust: the active one first, then those still in use, then the one that is to follow. */
export function didsOf(key: StoredKey): string[] {
  const all = [key.did, ...key.previousDids, key.nextDid];
  return [...new Set(all.filter((did) => did !== undefined))];
}

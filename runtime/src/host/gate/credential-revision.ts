import type { AipError } from '../../protocol/errors.js';
import { CredentialRevisionUnavailable } from '../../protocol/errors.js';
import { type CredentialPolicy, credentialVerdict } from '../credentials/policy.js';
import type { Facts } from './facts.js';

/** Check 7: the credential revision pinned by the route is accepted here, now. */
export function credentialRevision({ route, credentialPolicy }: Facts): AipError | undefined {
  const pinned = route?.credential_revision_ref;
  let policy: CredentialPolicy;
  try {
    policy = credentialPolicy();
  } catch (error) {
    if (error instanceof CredentialRevisionUnavailable) return error;
    throw error;
  }
  return credentialVerdict(policy, typeof pinned === 'string' ? pinned : undefined);
}

import { AipError } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import type { Facts } from './facts.js';

/** Check 3: `from` is the configured gateway principal, in its trust domain, under the DID that signed. */
export function sender({ envelope: { from }, host: { gateway }, signer }: Facts): AipError | undefined {
  const refuse = (why: string): AipError =>
    new AipError('connector_host.route_mismatch', `from ${why}`, { status: 401 });
  if (!samePrincipal(from, gateway)) return refuse('is not the central gateway');
  if (from?.trust_domain !== gateway.trust_domain) return refuse('is of another trust domain');
  if (from.did !== undefined && from.did !== signer) return refuse('has another DID');
  return undefined;
}

import { AipError } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import type { Facts } from './facts.js';

/** Check 4: `to` is this host; trust domain and DID are compared when they are given. */
export function recipient({ envelope: { to }, host: { principal } }: Facts): AipError | undefined {
  if (!samePrincipal(to, principal)) return new AipError('connector_host.route_mismatch', 'to is not this host');
  if (to?.trust_domain !== undefined && to.trust_domain !== principal.trust_domain) {
    return new AipError('connector_host.route_mismatch', 'to is of another trust domain');
  }
  if (to?.did !== undefined && to.did !== principal.did)
    return new AipError('connector_host.route_mismatch', 'to has another DID');
  return undefined;
}

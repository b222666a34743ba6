import type { DelegatedAuthorityGrant, Principal } from '../../protocol/types.js';

/** How a caller was authenticated. `development` is the loopback identity of insecure development. */
export type IdentityScheme = 'bearer' | 'did_proof' | 'development';

/**
 * Who calls, as the server established it: never taken from a payload, header or subject (docs/protocol/client-api.md#authentication).
 * `tenantId` is the tenant bound to the credential or signer; without one the caller acts outside every tenant.
 */
export interface Identity {
  readonly principal: Principal;
  readonly scopes: ReadonlySet<string>;
  readonly tenantId?: string;
  readonly roles: readonly string[];
  /** Rights over the records of other principals that the credential or signer has, each until its own end. */
  readonly grants?: readonly DelegatedAuthorityGrant[];
  readonly scheme: IdentityScheme;
}

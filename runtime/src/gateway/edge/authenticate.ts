import type { Clock } from '../../protocol/clock.js';
import { claimedSigner, type Envelope, verifyEnvelope } from '../../protocol/envelope.js';
import { SignatureInvalid } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import type { Principal } from '../../protocol/types.js';
import { type BearerEdge, refused } from './bearer.js';
import type { Identity } from './identity.js';
import type { TrustedSigners } from './signers.js';

/** Establishes who calls, for both route classes of docs/protocol/client-api.md#authentication. */
export interface Authenticator {
  /** Ergonomic routes: the bearer identity, else the loopback development identity. Throws Unauthorized. */
  bearer(authorization: string | undefined): Promise<Identity>;
  /** The bearer identity when one is presented, so that a wrong credential is refused before a body is read. Throws Unauthorized. */
  presented(authorization: string | undefined): Promise<Identity | undefined>;
  /**
   * The generic envelope route: the bearer identity when one is presented; otherwise the identity bound to the
   * envelope's verified signer. Throws Unauthorized or SignatureInvalid.
   */
  envelope(authorization: string | undefined, envelope: Envelope): Promise<Identity>;
  /** Transports without a bearer: the identity bound to the verified signer, and no other. Throws SignatureInvalid. */
  signed(envelope: Envelope): Promise<Identity>;
}

/** What decides about callers. `development` is present only in insecure development on a loopback bind. */
export interface AuthenticationRules {
  readonly edge: BearerEdge;
  readonly signers: TrustedSigners;
  readonly allowUnsigned: boolean;
  /** This server with its trust domain and, where it signs, its current DID: signed envelopes that name another recipient are refused. */
  readonly self?: (() => Principal) | undefined;
  readonly development?: Principal | undefined;
  readonly developmentTenantId?: string | undefined;
  readonly clock: Clock;
}

/** Builds the authenticator of a gateway from its configured rules. */
export function authenticator(rules: AuthenticationRules): Authenticator {
  const development: Identity | undefined = rules.development && {
    principal: rules.development,
    scopes: new Set(['*']),
    ...(rules.developmentTenantId === undefined ? {} : { tenantId: rules.developmentTenantId }),
    roles: [],
    scheme: 'development',
  };
  return {
    bearer: async (authorization) => {
      const identity = (await rules.edge.identify(authorization)) ?? development;
      if (!identity) throw refused();
      return identity;
    },
    presented: (authorization) => rules.edge.identify(authorization),
    envelope: async (authorization, envelope) => {
      const identity = await rules.edge.identify(authorization);
      if (identity) return identity;
      if (hasSignature(envelope)) return signerOf(rules, envelope);
      if (development) return development;
      if (rules.allowUnsigned) throw refused();
      throw new SignatureInvalid('the envelope is not signed by a trusted signer');
    },
    signed: (envelope) => signerOf(rules, envelope),
  };
}

/** Whether a recipient, where one is named, is this server: a message for another fleet is not taken here as well. */
function isAddressedTo(self: Principal | undefined, to: Principal | undefined): boolean {
  if (!self || !to) return true;
  const here = to.trust_domain === undefined || to.trust_domain === self.trust_domain;
  const key = to.did === undefined || self.did === undefined || to.did === self.did;
  return here && key && samePrincipal(to, self);
}

async function signerOf({ signers, self }: AuthenticationRules, envelope: Envelope): Promise<Identity> {
  // Before the signature, whose check costs far more: anybody may send what an unknown key signed.
  const identity = signers.get(claimedSigner(envelope));
  if (!identity) throw new SignatureInvalid('the signer of the envelope is not trusted here');
  await verifyEnvelope(envelope);
  const from = envelope.from;
  if (from?.id !== identity.principal.id || from.kind !== identity.principal.kind)
    throw new SignatureInvalid('the sender is not the principal that its signer is bound to');
  if (!isAddressedTo(self?.(), envelope.to))
    throw new SignatureInvalid('the envelope is addressed to another service; sign it for this one');
  return identity;
}

function hasSignature(envelope: Envelope): boolean {
  const security = envelope.security as { signature?: unknown } | undefined;
  return typeof security === 'object' && security !== null && security.signature !== undefined;
}

import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { AipError } from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import { newId } from '../../protocol/ids.js';
import type { Handshake, HandshakeResponse, Manifest, Principal } from '../../protocol/types.js';
import type { CapabilityLookup } from '../actions/capabilities/capabilities.js';
import type { Identity } from '../edge/identity.js';
import { keepWithinStock } from '../records/stock/admit.js';
import type { StockLimits } from '../records/stock/limits.js';
import { newResumeToken, TOKEN_LIFE_MS, tokenHash } from './token.js';

/** Profiles and capabilities that one handshake may name, and bytes of it. */
const MAX_NAMES = 256;
const MAX_HANDSHAKE_BYTES = 65_536;

const INSERT = `
INSERT INTO runtime.sessions (session_id, tenant_id, principal_id, principal_kind, peer_id, peer_kind, status, handshake, token_hash,
  expires_at, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, 'active', $7::json, $8, $9, $10, $10)`;

/** What sessions need. */
export interface SessionDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  /** The other side of every session. */
  readonly gateway: Principal;
  readonly manifest: Pick<Manifest, 'profiles'>;
  readonly capabilities: Pick<CapabilityLookup, 'find'>;
  readonly stock: StockLimits;
}

/**
 * Opens a session for the caller, active at once, with its first resume token. Agreed are the profiles and capabilities that the caller
 * named and may use here. Without a common profile the answer is `rejected`. Throws `auth.claim_mismatch` when the client is not the caller, and
 * StockExceeded.
 */
export async function openSession(
  deps: SessionDeps,
  identity: Identity,
  handshake: Handshake,
): Promise<HandshakeResponse> {
  if (!samePrincipal(handshake.client, identity.principal)) throw new AipError('auth.claim_mismatch');
  checkBounds(handshake);
  const server = { id: deps.gateway.id, kind: deps.gateway.kind };
  const profiles = [...new Set(handshake.profiles)].filter((profile) => deps.manifest.profiles.includes(profile));
  if (profiles.length === 0) {
    const reason = new AipError('handshake.no_compatible_profile', undefined, {
      details: { profiles: deps.manifest.profiles },
    });
    return { status: 'rejected', server, rejection_reason: reason.toProtocolError('aip-runtime') };
  }
  const capabilities = await agreedCapabilities(deps, identity, handshake.requested_capabilities ?? []);
  const nowMs = deps.clock();
  const sessionId = newId('session');
  const token = newResumeToken();
  const { auth: _credentials, ...kept } = handshake;
  const tenantId = identity.tenantId ?? null;
  const { principal } = identity;
  const opened = [sessionId, tenantId, principal.id, principal.kind, server.id, server.kind, JSON.stringify(kept)];
  await deps.pool.tx(async (client) => {
    await client.query({
      name: 'runtime.session.open',
      text: INSERT,
      values: [...opened, tokenHash(token), nowMs + TOKEN_LIFE_MS, nowMs],
    });
    await keepWithinStock(client, deps.stock, { kind: 'sessions', tenantId });
  });
  return {
    status: 'accepted',
    session_id: sessionId,
    resume_token: token,
    server,
    agreed_profiles: profiles,
    ...(capabilities.length > 0 && { agreed_capabilities: capabilities }),
    ...(handshake.heartbeat !== undefined && { heartbeat: handshake.heartbeat }),
    ...(handshake.billing !== undefined && { billing: handshake.billing }),
  };
}

function checkBounds(handshake: Handshake): void {
  const { profiles, requested_capabilities: capabilities = [] } = handshake;
  if (profiles.length > MAX_NAMES || capabilities.length > MAX_NAMES)
    throw new AipError(
      'action.invalid_input',
      `a handshake names at most ${MAX_NAMES} profiles and ${MAX_NAMES} capabilities`,
    );
  if (Buffer.byteLength(JSON.stringify(handshake)) > MAX_HANDSHAKE_BYTES)
    throw new AipError('action.invalid_input', `a handshake must have at most ${MAX_HANDSHAKE_BYTES} bytes`);
}

/** Those of the requested capabilities that exist for the caller, in the order in which they were requested. */
async function agreedCapabilities(
  { capabilities }: SessionDeps,
  identity: Identity,
  requested: readonly string[],
): Promise<string[]> {
  const agreed: string[] = [];
  for (const id of new Set(requested)) if (await capabilities.find(identity.tenantId ?? null, id)) agreed.push(id);
  return agreed;
}

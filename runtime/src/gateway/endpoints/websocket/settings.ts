import type { Env } from '../../../transport/settings/env.js';
import type { ShareLimits } from '../../claims/caller-shares.js';

/** The WebSocket connections that a gateway holds unless it is given others. */
const DEFAULT_CONNECTIONS: ShareLimits = { total: 16_384, perTenant: 4096, perPrincipal: 1024 };

/** Reads MAX_WEBSOCKETS, MAX_WEBSOCKETS_PER_TENANT and MAX_WEBSOCKETS_PER_PRINCIPAL. Throws StartupRefused. */
export function readWebSocketLimits(vars: Env): ShareLimits {
  const { total, perTenant, perPrincipal } = DEFAULT_CONNECTIONS;
  return {
    total: vars.int('MAX_WEBSOCKETS', total, { min: 1 }),
    perTenant: vars.int('MAX_WEBSOCKETS_PER_TENANT', perTenant, { min: 1 }),
    perPrincipal: vars.int('MAX_WEBSOCKETS_PER_PRINCIPAL', perPrincipal, { min: 1 }),
  };
}

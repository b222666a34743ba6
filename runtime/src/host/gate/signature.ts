import { AipError } from '../../protocol/errors.js';
import type { Facts } from './facts.js';

/** Check 2: the envelope is signed under a current DID of the gateway, and by no other key. */
export function signature({ signer, situation }: Facts): AipError | undefined {
  if (signer !== undefined && situation.gatewayDids.includes(signer)) return undefined;
  return new AipError('connector_host.route_mismatch', 'the envelope is not signed by the central gateway', {
    status: 401,
  });
}

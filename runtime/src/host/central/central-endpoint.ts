import { INGRESS_ENVELOPE_BYTES, PEER_TIMEOUT_MS } from '../../protocol/limits.js';
import { PeerTransportFailed } from '../../transport/peer/errors.js';
import type { ExtraRoots } from '../../transport/peer/pools.js';
import type { Logger } from '../../transport/process/logger.js';
import type { CentralTarget } from '../config/config.js';
import { type EndpointClient, openEndpointClient } from './endpoint-client.js';

/** The answer holds what was sent and the marks of its origin, so it may be larger than the largest envelope. */
const MAX_ANSWER_BYTES = 2 * INGRESS_ENVELOPE_BYTES;

/**
 * Opens a configured ingress endpoint, admitted once so that a wrong address is known at start; a name that cannot be resolved now may be
 * later. Throws DestinationRefused.
 */
export async function centralEndpoint(
  target: CentralTarget | undefined,
  tlsCa: ExtraRoots,
  log: Logger,
): Promise<EndpointClient | undefined> {
  if (!target) return undefined;
  const endpoint = openEndpointClient({
    ...target,
    timeoutMs: PEER_TIMEOUT_MS,
    maxResponseBytes: MAX_ANSWER_BYTES,
    tlsCa,
  });
  try {
    await endpoint.admit();
  } catch (error) {
    if (!(error instanceof PeerTransportFailed)) throw error;
    log.warn({ url: target.url, reason: error.message }, 'the central server cannot be resolved yet');
  }
  return endpoint;
}

import { openProviderClient, type ProviderClient } from '../provider/client.js';
import type { ProbeContext } from '../sdk/context.js';
import { accountOf, type ChatwootConfig, DEFAULT_RESPONSE_BYTES } from './config.js';

/** Calls the instance's Chatwoot with its token. */
export function chatwootClient({
  config,
  secret,
}: Pick<ProbeContext<ChatwootConfig>, 'config' | 'secret'>): ProviderClient {
  return openProviderClient({
    type: 'chatwoot',
    baseUrl: config.base_url,
    credential: () => ({ api_access_token: secret('api-token') }),
    maxResponseBytes: config.max_response_bytes ?? DEFAULT_RESPONSE_BYTES,
  });
}

/** A path of the account's API; each segment is encoded. */
export function accountPath(config: ChatwootConfig, ...segments: (string | number)[]): string {
  return ['/api/v1/accounts', accountOf(config), ...segments.map(String)]
    .map((segment, n) => (n === 0 ? segment : encodeURIComponent(segment)))
    .join('/');
}

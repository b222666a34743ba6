import { openProviderClient, type ProviderClient } from '../provider/client.js';
import { unusableCredential } from '../provider/failures.js';
import type { ProbeContext } from '../sdk/context.js';
import { API_TOKEN, DEFAULT_RESPONSE_BYTES, type TwentyConfig } from './config.js';

/** The connector's type, which begins its capability ids and error codes. */
export const TWENTY = 'twenty';

/** A token as a header carries it: visible ASCII without blanks. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The client of the configured workspace, with the key that the host owns and no other. */
export function workspaceOf({ config, secret }: Pick<ProbeContext<TwentyConfig>, 'config' | 'secret'>): ProviderClient {
  return openProviderClient({
    type: TWENTY,
    baseUrl: config.base_url,
    maxResponseBytes: config.max_response_bytes ?? DEFAULT_RESPONSE_BYTES,
    credential: () => ({ authorization: `Bearer ${tokenOf(secret)}` }),
  });
}

function tokenOf(secret: ProbeContext['secret']): string {
  const call = { type: TWENTY, mutates: false };
  let token: string;
  try {
    token = secret(API_TOKEN);
  } catch (cause) {
    throw unusableCredential(call, `the API key cannot be used: ${(cause as Error).message}`, cause);
  }
  if (!TOKEN.test(token)) throw unusableCredential(call, `the secret ${API_TOKEN} must be one API key without blanks`);
  return token;
}

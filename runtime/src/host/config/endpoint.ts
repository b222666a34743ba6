import { type Env, isLoopbackHost } from '../../transport/settings/env.js';

/** When plain http is acceptable for an endpoint: never, on loopback only, or anywhere. */
export type PlainHttp = 'never' | 'loopback' | 'anywhere';

/**
 * An absolute URL whose path is exactly `path`, written so (docs/protocol/host.md#settings); no credentials, query or fragment. Returns the text
 * as it was configured, because peers compare it. Undefined when the variable is not set; a StartupRefused for everything else.
 */
export function endpointOf(env: Env, name: string, path: string, plainHttp: PlainHttp): string | undefined {
  const url = env.url(name, { path, schemes: ['https', 'http'] });
  const text = env.text(name);
  if (!url || text === undefined) return undefined;
  if (!text.endsWith(path)) throw env.refuse(name, `must end exactly in ${path}`);
  if (url.protocol === 'http:') {
    if (plainHttp === 'never') throw env.refuse(name, 'must be an https URL');
    if (plainHttp === 'loopback' && !isLoopbackHost(url.hostname)) {
      throw env.refuse(name, 'must be an https URL; http is possible on a loopback address only');
    }
  }
  return text;
}

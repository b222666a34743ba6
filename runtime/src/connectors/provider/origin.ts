import { isLoopbackHost } from '../../transport/settings/env.js';
import type { ConfigIssue } from '../sdk/connector.js';

/** JSON Schema members that every provider's configuration has. */
export const PROVIDER_PROPERTIES = {
  /** Origin of the provider, such as https://crm.example. */
  base_url: { type: 'string', minLength: 1, maxLength: 2048 },
  /** Admits plain http off loopback. */
  allow_insecure_http: { type: 'boolean' },
} as const;

/** Issues of a `base_url`: it must be an origin only, https, or http on loopback or where that is allowed. */
export function originIssues(baseUrl: string, allowInsecureHttp = false): ConfigIssue[] {
  const issue = (message: string): ConfigIssue[] => [{ path: '/base_url', message }];
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return issue('must be an absolute https URL, such as https://crm.example');
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || /[?#]/.test(baseUrl))
    return issue('must be an origin only: scheme, host and port, without credentials, path, query or fragment');
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopbackHost(url.hostname))
    return issue('must be an https URL; set allow_insecure_http to admit http off loopback');
  return [];
}

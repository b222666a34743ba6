import type { ConfigIssue } from '../sdk/connector.js';
import type { ConnectorEnvironment } from '../sdk/environment.js';

/** Operations that an instance may have. */
export const CHATWOOT_OPERATIONS = ['message:create', 'conversation:status'] as const;

/** One operation, the end of its capability id. */
export type ChatwootOperation = (typeof CHATWOOT_OPERATIONS)[number];

/** Configuration of the Chatwoot connector. */
export interface ChatwootConfig {
  /** Origin of the installation, such as https://app.chatwoot.com. */
  base_url: string;
  account_id: string | number;
  /** Largest answer of the provider, in bytes; default 16 MiB. */
  max_response_bytes?: number;
  /** Default: message:create alone. */
  operations?: ChatwootOperation[];
  /** Admits http beyond loopback. */
  allow_insecure_http?: boolean;
  /** `account` reads the account with the token, `none` asks nothing: the token of a bot may not read the account. Default account. */
  health?: 'account' | 'none';
}

/** Default and ceiling of `max_response_bytes`. */
export const DEFAULT_RESPONSE_BYTES = 16_777_216;
const MAX_RESPONSE_BYTES = 134_217_728;

export const chatwootConfigSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['base_url', 'account_id'],
  properties: {
    base_url: { type: 'string', minLength: 8, maxLength: 2048 },
    account_id: {
      anyOf: [
        { type: 'integer', minimum: 0, maximum: 9_007_199_254_740_991 },
        { type: 'string', minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
      ],
    },
    max_response_bytes: { type: 'integer', minimum: 1, maximum: MAX_RESPONSE_BYTES },
    operations: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: CHATWOOT_OPERATIONS } },
    allow_insecure_http: { type: 'boolean' },
    health: { type: 'string', enum: ['account', 'none'] },
  },
};

/** Variables of a host that is started by hand. */
export const chatwootEnvironment: ConnectorEnvironment = {
  prefix: 'AIP_CHATWOOT_',
  config: {
    BASE_URL: { member: 'base_url', form: 'text' },
    ACCOUNT_ID: { member: 'account_id', form: 'text' },
    MAX_RESPONSE_BYTES: { member: 'max_response_bytes', form: 'integer' },
    OPERATIONS_FILE: { member: 'operations', form: 'json_file' },
    ALLOW_INSECURE_HTTP: { member: 'allow_insecure_http', form: 'boolean' },
    HEALTH: { member: 'health', form: 'text' },
  },
  secrets: {
    API_TOKEN_FILE: 'api-token',
    WEBHOOK_SECRET_FILE: 'webhook-secret',
    WEBHOOK_SECRET_PREVIOUS_FILE: 'webhook-secret-previous',
  },
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The rules of `base_url`: an origin and nothing else, https unless it is on loopback or http is admitted. */
export function chatwootConfigIssues({ base_url, allow_insecure_http = false }: ChatwootConfig): ConfigIssue[] {
  const issue = (message: string): ConfigIssue[] => [{ path: '/base_url', message }];
  const url = URL.canParse(base_url) ? new URL(base_url) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return issue('is not an http or https URL, such as https://app.chatwoot.com');
  if (url.username !== '' || url.password !== '')
    return issue('must not hold credentials; the token is the secret api-token');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || /[?#]/.test(base_url))
    return issue('must be an origin without path, query or fragment');
  if (url.protocol === 'http:' && !allow_insecure_http && !LOOPBACK.test(url.hostname))
    return issue('must be https; set allow_insecure_http to admit http beyond loopback');
  return [];
}

/** The account as text, however it was written. */
export function accountOf({ account_id }: ChatwootConfig): string {
  return String(account_id);
}

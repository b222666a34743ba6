import { originIssues, PROVIDER_PROPERTIES } from '../provider/origin.js';
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
    ...PROVIDER_PROPERTIES,
    account_id: {
      anyOf: [
        { type: 'integer', minimum: 0, maximum: 9_007_199_254_740_991 },
        { type: 'string', minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
      ],
    },
    max_response_bytes: { type: 'integer', minimum: 1, maximum: MAX_RESPONSE_BYTES },
    operations: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: CHATWOOT_OPERATIONS } },
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

/** The rules of `base_url` that the schema cannot state. */
export function chatwootConfigIssues({ base_url, allow_insecure_http }: ChatwootConfig): ConfigIssue[] {
  return originIssues(base_url, allow_insecure_http);
}

/** The account as text, however it was written. */
export function accountOf({ account_id }: ChatwootConfig): string {
  return String(account_id);
}

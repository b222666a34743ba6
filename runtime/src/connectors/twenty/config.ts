import { originIssues, PROVIDER_PROPERTIES } from '../provider/origin.js';
import type { ConfigIssue, ConnectorDefinition } from '../sdk/connector.js';
import type { ConnectorEnvironment } from '../sdk/environment.js';
import type { FromSchema } from '../sdk/json-schema.js';

/** Every operation that the connector knows; an instance offers those that its configuration names. */
export const TWENTY_OPERATIONS = [
  'openapi.core',
  'openapi.metadata',
  'metadata.list',
  'metadata.get',
  'metadata.create',
  'metadata.update',
  'metadata.delete',
] as const;
export type TwentyOperation = (typeof TWENTY_OPERATIONS)[number];

/** Operations of an instance whose configuration names none. */
export const DEFAULT_OPERATIONS: readonly TwentyOperation[] = ['openapi.core', 'openapi.metadata'];

/** Bounds of a response, in bytes. */
export const DEFAULT_RESPONSE_BYTES = 67_108_864;
const MAX_RESPONSE_BYTES = 268_435_456;

export const twentyConfigSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['base_url', 'workspace_id'],
  properties: {
    ...PROVIDER_PROPERTIES,
    /** UUID of the workspace that the API key belongs to. */
    workspace_id: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
    },
    max_response_bytes: { type: 'integer', minimum: 1, maximum: MAX_RESPONSE_BYTES },
    operations: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: TWENTY_OPERATIONS } },
  },
} as const;

/** Configuration of the twenty connector. */
export type TwentyConfig = FromSchema<typeof twentyConfigSchema>;

/** What the schema cannot say. */
export function twentyConfigIssues({ base_url, allow_insecure_http }: TwentyConfig): ConfigIssue[] {
  return originIssues(base_url, allow_insecure_http);
}

/** The secret file with the workspace's API key. */
export const API_TOKEN = 'api-token';

export const twentyEnvironment: ConnectorEnvironment = {
  prefix: 'AIP_TWENTY_',
  config: {
    BASE_URL: { member: 'base_url', form: 'text' },
    WORKSPACE_ID: { member: 'workspace_id', form: 'text' },
    ALLOW_INSECURE_HTTP: { member: 'allow_insecure_http', form: 'boolean' },
    MAX_RESPONSE_BYTES: { member: 'max_response_bytes', form: 'integer' },
    OPERATIONS_FILE: { member: 'operations', form: 'json_file' },
  },
  secrets: { API_TOKEN_FILE: API_TOKEN },
};

/** The members of a definition that describe the configuration. */
export const twentySettings: Pick<ConnectorDefinition<TwentyConfig>, 'configSchema' | 'checkConfig' | 'environment'> = {
  configSchema: twentyConfigSchema,
  checkConfig: twentyConfigIssues,
  environment: twentyEnvironment,
};

import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { defineConnector } from '../sdk/connector.js';
import {
  DEFAULT_OPERATIONS,
  DEFAULT_RESPONSE_BYTES,
  TWENTY_OPERATIONS,
  type TwentyConfig,
  twentySettings,
} from './config.js';
import { metadataCapabilities } from './metadata.js';
import { METADATA_RESOURCES } from './metadata-query.js';
import { CORE_PATH, openapiCapabilities } from './openapi.js';
import { TWENTY, workspaceOf } from './workspace.js';

/** How long a good answer to a probe counts, in milliseconds: the provider generates the whole document for it. */
const HEALTHY_MS = 30_000;
/** When the workspace of a configuration last answered well. */
const answeredAt = new WeakMap<object, number>();

/** The CRM Twenty: its two OpenAPI documents and, by configuration, its metadata resources. */
export const twenty = defineConnector<TwentyConfig>({
  type: TWENTY,
  ...twentySettings,
  agent: ({ workspace_id }) => ({ id: `agent:twenty:${workspace_id}`, kind: 'agent', display_name: 'Twenty' }),
  profiles: () => [NATIVE_HTTP_PROFILE, 'aip.connector.twenty.v1'],
  capabilities: ({ operations = DEFAULT_OPERATIONS, max_response_bytes = DEFAULT_RESPONSE_BYTES }) => {
    const offered = new Set(operations.map((operation) => `cap:${TWENTY}:${operation}`));
    const all = [...openapiCapabilities(max_response_bytes), ...metadataCapabilities];
    return all.filter(({ record }) => offered.has(record.id));
  },
  manifest: ({ max_response_bytes = DEFAULT_RESPONSE_BYTES, operations = DEFAULT_OPERATIONS }) => ({
    security: {
      api_auth: 'bearer_header',
      credential_material_in_protocol: false,
      provider_redirects: false,
      webhook_ingress_enabled: false,
    },
    governance: {
      mutations_require_idempotency: true,
      automatic_reconciliation: false,
      arbitrary_provider_paths: false,
      arbitrary_graphql: false,
    },
    limits: { provider_response_max_bytes: max_response_bytes },
    compatibility: {
      system: TWENTY,
      connector: TWENTY,
      catalog_operations_supported: TWENTY_OPERATIONS.length,
      catalog_operations_admitted: operations.length,
      metadata_resources: [...METADATA_RESOURCES],
    },
  }),
  // A GET, because the provider answers a HEAD without checking the key; its body is dropped undecoded.
  health: async (ctx) => {
    const { config, signal } = ctx;
    if (performance.now() - (answeredAt.get(config) ?? Number.NEGATIVE_INFINITY) >= HEALTHY_MS) {
      answeredAt.delete(config);
      await workspaceOf(ctx).probe({ method: 'GET', path: CORE_PATH, signal });
      answeredAt.set(config, performance.now());
    }
    return { ready: true, detail: 'the workspace answers' };
  },
});

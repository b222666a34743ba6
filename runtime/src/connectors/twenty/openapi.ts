import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { invalidRequest } from '../provider/failures.js';
import { sentHeaders } from '../provider/headers.js';
import { capability } from '../sdk/capability.js';
import type { CapabilityContext } from '../sdk/context.js';
import { readOnly } from '../sdk/contract.js';
import type { TwentyConfig } from './config.js';
import { TWENTY, workspaceOf } from './workspace.js';

/** Path of the core document; health is probed on it too. */
export const CORE_PATH = '/rest/open-api/core';
const METADATA_PATH = '/rest/open-api/metadata';

/** Code of the failure for any input but an empty object, whoever notices it. */
const INVALID_REQUEST = `connector.${TWENTY}.invalid_request`;

/** cap:twenty:openapi.core and cap:twenty:openapi.metadata, for documents of at most so many bytes. */
export const openapiCapabilities = (maxBytes: number) => [
  documentOf('openapi.core', 'core', CORE_PATH, maxBytes),
  documentOf('openapi.metadata', 'metadata', METADATA_PATH, maxBytes),
];

/** A capability that reads one document of the workspace: route, origin and credential are fixed, its input is exactly `{}`. */
function documentOf(operation: string, what: string, path: string, maxBytes: number) {
  return capability({
    id: `cap:${TWENTY}:${operation}`,
    name: `Twenty: Read ${what} OpenAPI`,
    kind: 'resource',
    description: `Reads the ${what} OpenAPI document of the configured workspace, as the provider generates it.`,
    risk: 'low',
    stability: 'stable',
    requiresHumanApproval: false,
    bindings: [
      { profile: NATIVE_HTTP_PROFILE, method: 'POST', message_type: 'aip.core.v1.action' },
      {
        profile: 'aip.connector.twenty.v1',
        provider_method: 'GET',
        operation,
        auth: 'bearer_header',
        invalid_input_code: INVALID_REQUEST,
        max_document_bytes: maxBytes,
      },
    ],
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: [],
      properties: {},
      additionalProperties: false,
    },
    output: { type: 'object', additionalProperties: true },
    contract: readOnly({
      side_effects: ['external_network', 'read'],
      idempotency: { collision_behavior: 'revalidate_input_hash', key_scope: 'capability', ttl_ms: 604_800_000 },
      execution: { supports_async: false, supports_cancel: false },
      data: { sensitivity: 'confidential', contains_pii: true, redaction_required: true },
      sla: {
        expected_latency_ms: 2000,
        timeout_ms: 120_000,
        max_queue_delay_ms: 10_000,
        availability_target: '99.9%',
      },
    }),
    run: async (input, ctx: CapabilityContext<TwentyConfig>) => {
      const details = { twenty_operation: operation };
      if (Object.keys(input).length > 0)
        throw invalidRequest({ type: TWENTY, mutates: false, details }, 'the input must be exactly an empty object');
      const call = { method: 'GET', path, headers: sentHeaders(ctx), signal: ctx.signal, details } as const;
      const { status, requestId, body } = await workspaceOf(ctx).document(call, ctx.document);
      return { http_status: status, provider_request_id: requestId, body };
    },
  });
}

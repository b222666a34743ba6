import type { Capability, Manifest, Principal } from '../../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../../protocol/wire/native-http.js';
import { type BrokerService, listenerSubject, NATS_PROFILE } from '../../../transport/nats/subjects.js';

/** The capability that reports the state of this server. */
export const HEALTH_CAPABILITY_ID = 'cap:aip:server:health';
/** The profiles of the two ways to follow. */
const SSE_PROFILE = 'aip.sse.stream.v1';
const WEBSOCKET_PROFILE = 'aip.websocket.stream.v1';
/** Bytes of a request body that the native routes take. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

/** The capability cap:aip:server:health (docs/protocol/client-api.md#manifest-of-the-gateway): no input, its output is the liveness payload. */
export const healthCapability: Capability = {
  id: HEALTH_CAPABILITY_ID,
  name: 'Server health',
  kind: 'tool',
  description: 'The liveness payload of this server.',
  risk: 'low',
  stability: 'stable',
  input_schema: { type: 'object', additionalProperties: false },
  output_schema: {
    type: 'object',
    required: ['status', 'protocol', 'version', 'service', 'uptime_ms'],
    properties: {
      status: { type: 'string' },
      protocol: { type: 'string' },
      version: { type: 'string' },
      service: { type: 'string' },
      uptime_ms: { type: 'integer', minimum: 0 },
    },
  },
  bindings: [{ profile: NATIVE_HTTP_PROFILE }],
  contract: {
    side_effects: ['read'],
    idempotency: {
      requirement: 'optional',
      collision_behavior: 'return_original_result',
      key_scope: 'capability',
      ttl_ms: 86_400_000,
    },
    execution: {
      supports_sync: true,
      supports_async: true,
      supports_streaming: false,
      supports_cancel: false,
      supports_retry: true,
      expected_completion: 'sync',
      retry_safety: 'safe',
    },
    data: { sensitivity: 'public', contains_pii: false, redaction_required: false },
    sla: { timeout_ms: 1000, async_expected: false },
  },
};

/**
 * The manifest of this server alone: the tenants' fleet catalogs are never part of it (docs/protocol/client-api.md#manifest-of-the-gateway).
 */
export function serverManifest(
  agent: Principal,
  signedEnvelopes: 'required' | 'supported',
  broker?: BrokerService,
): Manifest {
  return {
    manifest_version: 'aip-manifest/v1',
    agent,
    capabilities: [healthCapability],
    profiles: [NATIVE_HTTP_PROFILE, SSE_PROFILE, WEBSOCKET_PROFILE, ...(broker ? [NATS_PROFILE] : [])],
    security: {
      transport: 'http',
      envelope_schema_validation: 'required',
      sender_principal: 'required_for_actions',
      signed_envelopes: signedEnvelopes,
      runtime_storage: 'postgres',
      idempotency: 'by_contract',
    },
    limits: { max_request_bytes: MAX_REQUEST_BYTES },
    compatibility: {
      native_http: { messages: '/aip/v1/messages', actions: '/aip/v1/actions', manifest: '/aip/v1/manifest' },
      ...(broker && { native_nats: { requests: listenerSubject(broker) } }),
    },
  };
}

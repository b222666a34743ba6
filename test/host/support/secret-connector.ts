import { defineConnector } from '@aip/runtime/connectors/sdk/index.js';
import { sha256Hex } from '@aip/runtime/protocol/digest.js';

/** A connector that needs the secret `token`, and tells the digest of any secret as it is at the call. */
export default defineConnector({
  type: 'secretive',
  configSchema: { type: 'object' },
  manifest: () => ({
    manifest_version: 'aip-manifest/v1',
    agent: { id: 'agent:demo:test', kind: 'agent', display_name: 'Demo connector' },
    capabilities: [
      {
        id: 'cap:secretive:digest',
        name: 'digest',
        kind: 'tool',
        input_schema: { type: 'object' },
        contract: {
          side_effects: ['read'],
          idempotency: { requirement: 'optional', collision_behavior: 'return_original_result', key_scope: 'tenant' },
          execution: {
            supports_sync: true,
            supports_async: true,
            supports_streaming: false,
            supports_cancel: false,
            supports_retry: true,
            expected_completion: 'sync',
            retry_safety: 'safe',
          },
          data: { sensitivity: 'internal', contains_pii: false, redaction_required: false },
        },
      },
    ],
    profiles: ['aip.native.http.v1'],
  }),
  health: async ({ secrets }) => ({ ready: secrets.text('token') !== '', detail: 'the token can be read' }),
  invoke: async ({ input }, { secrets }) => {
    const { file } = input as { file: string };
    return { output: { text: sha256Hex(secrets.text(file)), bytes: sha256Hex(secrets.bytes(file)) } };
  },
});

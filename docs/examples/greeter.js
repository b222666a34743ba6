import { ConnectorFailure, defineConnector } from '@aip/runtime/connectors/sdk/index.js';

/** A connector with one capability. Its configuration is checked by `configSchema` before anything of it runs. */
export default defineConnector({
  type: 'greeter',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: { greeting: { type: 'string', minLength: 1, default: 'Hello' } },
  },
  manifest: () => ({
    manifest_version: 'aip-manifest/v1',
    agent: { id: 'agent:greeter', kind: 'agent', display_name: 'Greeter' },
    profiles: ['aip.native.http.v1'],
    capabilities: [
      {
        id: 'cap:greeter:greet',
        name: 'Greet',
        kind: 'tool',
        description: 'Greets somebody by name.',
        risk: 'low',
        input_schema: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: { name: { type: 'string', minLength: 1 } },
        },
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
          data: { sensitivity: 'public', contains_pii: false, redaction_required: false },
        },
      },
    ],
  }),
  invoke: async ({ input }, { config }) => {
    if (input.name === 'nobody') {
      throw new ConnectorFailure({ code: 'connector.greeter.nobody', message: 'there is nobody to greet' });
    }
    return { output: { text: `${config.greeting ?? 'Hello'}, ${input.name}!` } };
  },
});

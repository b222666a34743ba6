import { type CapabilityContext, capability, defineConnector, readOnly } from '@aip/runtime/sdk';
import { sha256Hex } from '#runtime/protocol/digest.js';

/** A connector that needs the secret `token`, and tells the digest of any secret as it is at the call. */
export default defineConnector({
  type: 'secretive',
  configSchema: { type: 'object' },
  agent: () => ({ id: 'agent:demo:test', kind: 'agent', display_name: 'Demo connector' }),
  capabilities: [
    capability({
      id: 'cap:secretive:digest',
      input: { type: 'object', required: ['file'], properties: { file: { type: 'string' } } },
      contract: readOnly(),
      run: ({ file }, { secret }: CapabilityContext) => ({
        text: sha256Hex(secret(file)),
        bytes: sha256Hex(secret.bytes(file)),
      }),
    }),
  ],
  health: async ({ secret }) => ({ ready: secret('token') !== '', detail: 'the token can be read' }),
});

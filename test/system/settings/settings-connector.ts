import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type CapabilityContext, capability, defineConnector, readOnly } from '@aip/runtime/sdk';

/**
 * A connector that returns what it was given, and whose probe does not answer while the file of its configuration exists. It notes beside that
 * file that it has seen it.
 */
export default defineConnector<{ name: string; silent_file: string }>({
  type: 'settings',
  configSchema: {
    type: 'object',
    required: ['name', 'silent_file'],
    properties: { name: { type: 'string' }, silent_file: { type: 'string' } },
  },
  agent: () => ({ id: 'agent:demo:test', kind: 'agent', display_name: 'Demo connector' }),
  capabilities: [
    capability({
      id: 'cap:settings:context',
      input: { type: 'object' },
      contract: readOnly(),
      run: (_input, { config, tenant, externalAccount, credential }: CapabilityContext) => ({
        config,
        tenant,
        externalAccount,
        credential,
      }),
    }),
  ],
  health: async ({ config, signal }) => {
    const { silent_file: file } = config as { silent_file: string };
    for (; existsSync(file); await pause(20, undefined, { signal })) await writeFile(`${file}.seen`, '');
    return { ready: true, detail: 'it answers' };
  },
});

import { harmless } from '@aip/runtime/connectors/demo/contract.js';
import { defineConnector } from '@aip/runtime/connectors/sdk/index.js';
import type { Capability, Resource } from '@aip/runtime/protocol/types.js';

const capability = (name: string): Capability => ({
  id: `cap:library:${name}`,
  name,
  kind: 'resource',
  description: `The ${name} of the library`,
  risk: 'low',
  input_schema: { type: 'object', additionalProperties: false },
  contract: harmless(),
});

const page = (number: number): Resource => ({
  id: `res:library:page-${number}`,
  name: `Page ${number}`,
  kind: 'page',
  capability_id: 'cap:library:handbook',
  mime_type: 'text/markdown',
});

/** Offers resources: a register as JSON that no manifest declares, and documents of one capability. */
export default defineConnector<{ edition: string }>({
  type: 'library',
  configSchema: { type: 'object', required: ['edition'], properties: { edition: { type: 'string' } } },
  manifest: () => ({
    manifest_version: 'aip-manifest/v1',
    agent: { id: 'agent:library', kind: 'agent' },
    profiles: ['aip.native.http.v1'],
    capabilities: [capability('register'), capability('handbook'), capability('broken')],
    resources: [
      {
        id: 'res:library:handbook',
        name: 'Handbook',
        kind: 'document',
        capability_id: 'cap:library:handbook',
        mime_type: 'text/markdown',
      },
      {
        id: 'res:library:staff',
        name: 'Staff notes',
        kind: 'document',
        capability_id: 'cap:library:handbook',
        mime_type: 'text/markdown',
        access: { public: false, required_scopes: ['library:staff'], tenant_required: true },
      },
      {
        id: 'res:library:old',
        name: 'Last year’s handbook',
        kind: 'document',
        capability_id: 'cap:library:handbook',
        expires_at: '2020-01-01T00:00:00Z',
      },
      ...[1, 2, 3, 4, 5].map(page),
    ],
  }),
  invoke: async (action, context) => {
    if (action.capability_id === 'cap:library:broken') throw new Error('the shelf is empty');
    if (action.capability_id === 'cap:library:register')
      return { output: { edition: context.config.edition, entries: 3, input: action.input } };
    return {
      output: { edition: context.config.edition },
      message: [{ type: 'text', text: `# Handbook ${context.config.edition}`, format: 'markdown' }],
    };
  },
});

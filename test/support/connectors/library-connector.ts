import { type CapabilityContext, capability, defineConnector, Result, readOnly } from '@aip/runtime/sdk';
import type { Resource } from '#runtime/protocol/types.js';

type Context = CapabilityContext<{ edition: string }>;

const input = { type: 'object', additionalProperties: false } as const;
const about = (name: string) => ({
  id: `cap:library:${name}`,
  kind: 'resource' as const,
  description: `The ${name} of the library`,
  risk: 'low' as const,
  input,
  contract: readOnly(),
});

const register = capability({
  ...about('register'),
  run: (read, { config }: Context) => ({ edition: config.edition, entries: 3, input: read }),
});
const handbook = capability({
  ...about('handbook'),
  run: (_input, { config }: Context) =>
    new Result({
      output: { edition: config.edition },
      message: [{ type: 'text', text: `# Handbook ${config.edition}`, format: 'markdown' }],
    }),
});
const broken = capability({
  ...about('broken'),
  run: () => {
    throw new Error('the shelf is empty');
  },
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
  agent: () => ({ id: 'agent:library', kind: 'agent' }),
  capabilities: [register, handbook, broken],
  manifest: () => ({
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
});

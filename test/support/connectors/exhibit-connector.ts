import { capability, defineConnector, Result, readOnly } from '@aip/runtime/sdk';

const vase = capability({
  id: 'cap:exhibit:vase',
  kind: 'resource' as const,
  description: 'A vase',
  risk: 'low' as const,
  input: { type: 'object', additionalProperties: false } as const,
  contract: readOnly(),
  run: () =>
    new Result({
      output: {},
      message: [
        { type: 'text', text: '# A vase', format: 'markdown' },
        { type: 'json', data: { height_mm: 300 } },
      ],
    }),
});

/** Offers one resource, whose content has parts of two media types. */
export default defineConnector({
  type: 'exhibit',
  configSchema: { type: 'object' },
  agent: () => ({ id: 'agent:exhibit', kind: 'agent' }),
  capabilities: [vase],
  manifest: () => ({
    resources: [
      {
        id: 'res:exhibit:vase',
        name: 'A vase, in words and figures',
        kind: 'exhibit',
        capability_id: 'cap:exhibit:vase',
        mime_type: 'text/markdown',
      },
    ],
  }),
});

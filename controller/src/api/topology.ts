import type { FromSchema, ResourceSchema } from './json-schema.js';

const label = (description: string, fallback: string) =>
  ({
    type: 'string',
    maxLength: 128,
    pattern: '^[A-Za-z0-9_.-]{1,128}$',
    default: fallback,
    description,
  }) as const;

/** Where a replica runs (docs/protocol/registry.md#replicas): each 1 to 128 ASCII letters, digits, dots, dashes and underscores. */
export const topologySchema = {
  type: 'object',
  default: {},
  description: 'Where the hosts run. Gateways prefer hosts near them for new work.',
  properties: {
    region: label('Region. Letters, digits, dots, dashes and underscores.', 'global'),
    zone: label('Zone within the region. Letters, digits, dots, dashes and underscores.', 'default'),
    capacityClass: label('Class of hardware. Letters, digits, dots, dashes and underscores.', 'standard'),
  },
} as const satisfies ResourceSchema;

export type Topology = FromSchema<typeof topologySchema>;

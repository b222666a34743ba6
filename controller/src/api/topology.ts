import type { FromSchema, ResourceSchema } from './json-schema.js';

const LABEL = '^[A-Za-z0-9_.-]{1,128}$';

/** Where a replica runs (spec 05 §1.8): each 1 to 128 ASCII letters, digits, dots, dashes and underscores. */
export const topologySchema = {
  type: 'object',
  default: {},
  properties: {
    region: { type: 'string', maxLength: 128, pattern: LABEL, default: 'global' },
    zone: { type: 'string', maxLength: 128, pattern: LABEL, default: 'default' },
    capacityClass: { type: 'string', maxLength: 128, pattern: LABEL, default: 'standard' },
  },
} as const satisfies ResourceSchema;

export type Topology = FromSchema<typeof topologySchema>;

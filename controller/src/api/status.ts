import type { FromSchema, ResourceSchema } from './json-schema.js';

/** Conditions as Kubernetes writes them: a list keyed by `type`, CamelCase reasons, a message for people. */
export const conditionsSchema = {
  type: 'array',
  maxItems: 16,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message'],
    properties: {
      type: { type: 'string', maxLength: 64 },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: { type: 'string', maxLength: 128 },
      message: { type: 'string', maxLength: 4096 },
      observedGeneration: { type: 'integer', minimum: 0 },
      lastTransitionTime: { type: 'string', maxLength: 64 },
    },
  },
} as const satisfies ResourceSchema;

export type Condition = FromSchema<typeof conditionsSchema>[number];

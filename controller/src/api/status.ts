import type { FromSchema, ResourceSchema } from './json-schema.js';

/** Conditions as Kubernetes writes them: a list keyed by `type`, CamelCase reasons, a message for people. */
export const conditionsSchema = {
  type: 'array',
  maxItems: 16,
  description:
    'What was observed, by type. A type that is absent has not been observed yet, or, for abnormal ones such as Stalled, does not hold.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message'],
    properties: {
      type: { type: 'string', minLength: 1, maxLength: 64, description: 'What is observed, such as Ready.' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'Does it hold?' },
      reason: { type: 'string', maxLength: 128, description: 'Why, as one CamelCase word for programs.' },
      message: { type: 'string', maxLength: 4096, description: 'Why, for people, and what to do.' },
      observedGeneration: { type: 'integer', minimum: 0, description: 'The metadata.generation that was observed.' },
      lastTransitionTime: {
        type: 'string',
        format: 'date-time',
        maxLength: 64,
        description: 'When the status last changed, RFC 3339.',
      },
    },
  },
} as const satisfies ResourceSchema;

export type Condition = FromSchema<typeof conditionsSchema>[number];

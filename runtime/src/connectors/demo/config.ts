import type { FromSchema } from '../sdk/json-schema.js';

export const demoConfigSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /** Part of the agent id, `agent:demo:<name>`; default local. */
    name: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
    /** Comes before every echoed text. */
    greeting: { type: 'string', maxLength: 256 },
    /** Path of a file; while it exists the connector reports that its provider cannot be used. For drills. */
    unhealthy_file: { type: 'string', minLength: 1, maxLength: 4096 },
  },
} as const;

/** Configuration of the demo connector. */
export type DemoConfig = FromSchema<typeof demoConfigSchema>;

/** Configuration of the demo connector. */
export interface DemoConfig {
  /** Part of the agent id, `agent:demo:<name>`; default local. */
  name?: string;
  /** Puts this before every echoed text. */
  greeting?: string;
  /** Path of a file; while it exists the connector reports that its provider cannot be used. For drills. */
  unhealthy_file?: string;
}

export const demoConfigSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
    greeting: { type: 'string', maxLength: 256 },
    unhealthy_file: { type: 'string', minLength: 1, maxLength: 4096 },
  },
};

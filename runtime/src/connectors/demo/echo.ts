import { capability } from '../sdk/capability.js';
import type { CapabilityContext } from '../sdk/context.js';
import { readOnly } from '../sdk/contract.js';
import type { DemoConfig } from './config.js';
import { DEMO } from './contract.js';

/** The channel on which the demo connector publishes events. */
export const DEMO_CHANNEL = 'demo-events';

/** cap:demo:echo */
export const echo = capability({
  id: 'cap:demo:echo',
  name: 'Echo',
  description: 'Gives its input back. With publish_event it also publishes one event on the channel demo-events.',
  risk: 'low',
  stability: 'stable',
  input: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      publish_event: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'kind', 'occurred_at'],
        properties: {
          id: { type: 'string', pattern: '^evt_.', maxLength: 256 },
          kind: { type: 'string', minLength: 1, maxLength: 256 },
          occurred_at: { type: 'string', minLength: 1 },
          data: { type: 'object' },
        },
      },
    },
  },
  output: { type: 'object', required: ['echo'] },
  contract: readOnly(DEMO),
  run: async (input, { config, publishEvents }: CapabilityContext<DemoConfig>) => {
    const { text, publish_event: event } = input;
    if (event) await publishEvents(DEMO_CHANNEL, [event]);
    if (config.greeting === undefined || text === undefined) return { echo: input };
    return { echo: { ...input, text: config.greeting + text } };
  },
});

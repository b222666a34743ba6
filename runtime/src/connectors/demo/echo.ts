import type { Capability, Event } from '../../protocol/types.js';
import type { Operation } from '../sdk/connector.js';
import type { DemoConfig } from './config.js';
import { harmless } from './contract.js';

/** The channel on which the demo connector publishes events. */
export const DEMO_CHANNEL = 'demo-events';

export const echoCapability: Capability = {
  id: 'cap:demo:echo',
  name: 'Echo',
  kind: 'tool',
  description: 'Gives its input back. With publish_event it also publishes one event on the channel demo-events.',
  risk: 'low',
  stability: 'stable',
  input_schema: {
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
  output_schema: { type: 'object', required: ['echo'] },
  contract: harmless(),
};

/** cap:demo:echo */
export const echo: Operation<DemoConfig> = async ({ input }, { config, publishEvents }) => {
  const { text, publish_event: event } = input as { text?: string; publish_event?: Event };
  if (event) await publishEvents(DEMO_CHANNEL, [event]);
  if (config.greeting === undefined || text === undefined) return { output: { echo: input } };
  return { output: { echo: { ...(input as object), text: config.greeting + text } } };
};

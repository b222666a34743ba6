import { ConnectorFailure, capability, defineConnector, readOnly } from '@aip/runtime/sdk';

const greet = capability({
  id: 'cap:greeter:greet',
  name: 'Greet',
  description: 'Greets somebody by name.',
  risk: 'low',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1 } },
  },
  contract: readOnly(),
  run: ({ name }, { config }) => {
    if (name === 'nobody') {
      throw new ConnectorFailure({ code: 'connector.greeter.nobody', message: 'there is nobody to greet' });
    }
    return { text: `${config.greeting ?? 'Hello'}, ${name}!` };
  },
});

/** A connector with one capability. Its configuration is checked by `configSchema` before anything of it runs. */
export default defineConnector({
  type: 'greeter',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: { greeting: { type: 'string', minLength: 1, default: 'Hello' } },
  },
  agent: () => ({ id: 'agent:greeter', kind: 'agent', display_name: 'Greeter' }),
  capabilities: [greet],
});

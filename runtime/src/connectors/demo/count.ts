import { capability } from '../sdk/capability.js';
import { readOnly } from '../sdk/contract.js';
import { DEMO } from './contract.js';
import { wait } from './wait.js';

/** cap:demo:count: numbers as chunks in streaming mode; in the others the same time without chunks. A second run gives the same chunks. */
export const count = capability({
  id: 'cap:demo:count',
  name: 'Count',
  description: 'Streams the numbers from 1 to n, one chunk each, with a pause between them, then a done chunk.',
  risk: 'low',
  stability: 'stable',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['n'],
    properties: {
      n: { type: 'integer', minimum: 0, maximum: 100_000 },
      interval_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
    },
  },
  output: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
  contract: {
    ...readOnly({ ...DEMO, execution: { supports_streaming: true, expected_completion: 'streaming' } }),
    sla: { timeout_ms: 600_000, async_expected: false },
  },
  run: async ({ n, interval_ms: interval = 0 }, { signal, emit }) => {
    for (let value = 1; value <= n; value += 1) {
      if (value > 1) await wait(interval, signal);
      await emit({ kind: 'data', data: { value, of: n } });
    }
    await emit({ kind: 'done', data: { count: n } });
    return { count: n };
  },
});

import { capability } from '../sdk/capability.js';
import { readOnly } from '../sdk/contract.js';
import { DEMO } from './contract.js';
import { wait } from './wait.js';

/** cap:demo:report */
export const report = capability({
  id: 'cap:demo:report',
  name: 'Report',
  kind: 'workflow',
  description: 'Takes the given number of seconds and then returns a small report. Can be cancelled.',
  risk: 'low',
  stability: 'stable',
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      seconds: { type: 'number', minimum: 0, maximum: 3600 },
      title: { type: 'string', maxLength: 256 },
    },
  },
  output: { type: 'object', required: ['title', 'seconds', 'lines'] },
  contract: {
    ...readOnly({ ...DEMO, execution: { expected_completion: 'async' } }),
    sla: { timeout_ms: 3_700_000, async_expected: true },
  },
  run: async ({ seconds = 3, title = 'report' }, { signal }) => {
    await wait(seconds * 1000, signal);
    return { title, seconds, lines: ['one', 'two', 'three'] };
  },
});

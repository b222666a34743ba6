import type { Capability } from '../../protocol/types.js';
import type { Operation } from '../sdk/connector.js';
import type { DemoConfig } from './config.js';
import { harmless } from './contract.js';
import { wait } from './wait.js';

export const reportCapability: Capability = {
  id: 'cap:demo:report',
  name: 'Report',
  kind: 'workflow',
  description: 'Takes the given number of seconds and then returns a small report. Can be cancelled.',
  risk: 'low',
  stability: 'stable',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      seconds: { type: 'number', minimum: 0, maximum: 3600 },
      title: { type: 'string', maxLength: 256 },
    },
  },
  output_schema: { type: 'object', required: ['title', 'seconds', 'lines'] },
  contract: harmless({
    execution: { expected_completion: 'async' },
    sla: { timeout_ms: 3_700_000, async_expected: true },
  }),
};

/** cap:demo:report */
export const report: Operation<DemoConfig> = async ({ input }, { signal }) => {
  const { seconds = 3, title = 'report' } = input as { seconds?: number; title?: string };
  await wait(seconds * 1000, signal);
  return { output: { title, seconds, lines: ['one', 'two', 'three'] } };
};

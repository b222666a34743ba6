import type { Action, Capability } from '../../protocol/types.js';
import type { ConnectorResult } from '../sdk/connector.js';
import type { ExecutionContext, StreamContext } from '../sdk/context.js';
import type { DemoConfig } from './config.js';
import { harmless } from './contract.js';
import { wait } from './wait.js';

export const countCapability: Capability = {
  id: 'cap:demo:count',
  name: 'Count',
  kind: 'tool',
  description: 'Streams the numbers from 1 to n, one chunk each, with a pause between them, then a done chunk.',
  risk: 'low',
  stability: 'stable',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['n'],
    properties: {
      n: { type: 'integer', minimum: 0, maximum: 100_000 },
      interval_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
    },
  },
  output_schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
  contract: harmless({
    execution: { supports_streaming: true, expected_completion: 'streaming' },
    sla: { timeout_ms: 600_000, async_expected: false },
  }),
};

interface CountInput {
  n: number;
  interval_ms?: number;
}

/** cap:demo:count in streaming mode. The chunks hold nothing but numbers, so a second run gives the same ones. */
export async function countStream({ input }: Action, context: StreamContext<DemoConfig>): Promise<ConnectorResult> {
  const { n, interval_ms: interval = 0 } = input as CountInput;
  for (let value = 1; value <= n; value += 1) {
    if (value > 1) await wait(interval, context.signal);
    await context.emit({ kind: 'data', data: { value, of: n } });
  }
  await context.emit({ kind: 'done', data: { count: n } });
  return { output: { count: n } };
}

/** cap:demo:count in the other modes: the same time, no chunks. */
export async function countSilently(
  { input }: Action,
  context: ExecutionContext<DemoConfig>,
): Promise<ConnectorResult> {
  const { n, interval_ms: interval = 0 } = input as CountInput;
  await wait(Math.max(0, n - 1) * interval, context.signal);
  return { output: { count: n } };
}

import type { Capability } from '../../protocol/types.js';
import type { Operation } from '../sdk/connector.js';
import { ConnectorFailure } from '../sdk/failure.js';
import type { DemoConfig } from './config.js';
import { harmless } from './contract.js';
import { wait } from './wait.js';

const MODES = ['ok', 'retryable', 'permanent', 'timeout', 'unknown_outcome'] as const;
type FlakyMode = (typeof MODES)[number];

export const flakyCapability: Capability = {
  id: 'cap:demo:flaky',
  name: 'Flaky',
  kind: 'tool',
  description: 'Fails as told by mode; with fail_times it fails that often for one action and then succeeds.',
  risk: 'low',
  stability: 'experimental',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['mode'],
    properties: {
      mode: { enum: [...MODES] },
      fail_times: { type: 'integer', minimum: 0, maximum: 1000 },
    },
  },
  output_schema: { type: 'object', required: ['attempt'] },
  contract: harmless({
    side_effects: ['write'],
    execution: { retry_safety: 'unsafe' },
    sla: { timeout_ms: 60_000, async_expected: false },
  }),
};

/** cap:demo:flaky */
export const flaky: Operation<DemoConfig> = async (action, context) => {
  const { mode, fail_times: failTimes } = action.input as { mode: FlakyMode; fail_times?: number };
  const attempt = await context.state.increment(`flaky:${action.id}`);
  if (mode === 'ok' || (failTimes !== undefined && attempt > failTimes)) return { output: { attempt } };
  if (mode === 'timeout') await wait(Math.max(0, context.deadline - Date.now()) + 60_000, context.signal);
  throw new ConnectorFailure(FAILURES[mode]);
};

const FAILURES: Record<Exclude<FlakyMode, 'ok'>, ConstructorParameters<typeof ConnectorFailure>[0]> = {
  retryable: {
    code: 'connector.demo.busy',
    message: 'the provider is busy',
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    remoteStatus: 503,
  },
  permanent: {
    code: 'connector.demo.refused',
    message: 'the provider refused',
    category: 'permanent',
    remoteStatus: 422,
  },
  timeout: { code: 'connector.demo.timeout', message: 'the provider did not answer', uncertainOutcome: true },
  unknown_outcome: {
    code: 'connector.outcome_unknown',
    message: 'the provider took the request and its answer was lost',
    uncertainOutcome: true,
  },
};

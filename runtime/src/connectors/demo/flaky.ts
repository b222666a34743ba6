import { capability } from '../sdk/capability.js';
import { readOnly } from '../sdk/contract.js';
import { ConnectorFailure } from '../sdk/failure.js';
import { DEMO } from './contract.js';
import { wait } from './wait.js';

const MODES = ['ok', 'retryable', 'permanent', 'timeout', 'unknown_outcome'] as const;
type FlakyMode = (typeof MODES)[number];

/** cap:demo:flaky */
export const flaky = capability({
  id: 'cap:demo:flaky',
  name: 'Flaky',
  description: 'Fails as told by mode; with fail_times it fails that often for one action and then succeeds.',
  risk: 'low',
  stability: 'experimental',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['mode'],
    properties: {
      mode: { enum: MODES },
      fail_times: { type: 'integer', minimum: 0, maximum: 1000 },
    },
  },
  output: { type: 'object', required: ['attempt'] },
  contract: {
    ...readOnly({ ...DEMO, side_effects: ['write'], execution: { retry_safety: 'unsafe' } }),
    sla: { timeout_ms: 60_000, async_expected: false },
  },
  run: async ({ mode, fail_times: failTimes }, { action, state, deadline, signal }) => {
    const attempt = await state.increment(`flaky:${action.id}`);
    if (mode === 'ok' || (failTimes !== undefined && attempt > failTimes)) return { attempt };
    if (mode === 'timeout') await wait(Math.max(0, deadline - Date.now()) + 60_000, signal);
    throw new ConnectorFailure(FAILURES[mode]);
  },
});

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

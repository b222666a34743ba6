import { describe, expect, test } from 'vitest';
import type { ConnectorCapability } from '#runtime/connectors/sdk/capability.js';
import { ConnectorFailure } from '#runtime/connectors/sdk/failure.js';
import { type Execution, execute } from '#runtime/host/execution/execute.js';
import { mayRunAgain } from '#runtime/host/execution/results.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import type { Capability } from '#runtime/protocol/types.js';

const busy = new ConnectorFailure({ code: 'connector.shop.busy', message: 'try later', retryable: true });
const undelivered = new ConnectorFailure({ code: 'connector.stream_undelivered', message: 'no gateway took it' });

interface Case {
  safety?: string;
  effects?: string[];
  key?: string;
  mode?: string;
  /** The connector reports an effect before it fails. */
  effect?: boolean;
  stream?: Error;
}

/** The result of a call that throws. */
async function resultOf(thrown: Error | undefined, given: Case = {}) {
  const { safety = 'unsafe', effects = ['write'], key, mode, effect = false, stream } = given;
  const fail = async (): Promise<object> => {
    if (thrown) throw thrown;
    return {};
  };
  const execution = {
    connectorType: 'shop',
    capability: {
      id: 'cap:shop:buy',
      input_schema: {},
      contract: { side_effects: effects, execution: { retry_safety: safety } },
    } as unknown as Capability,
    handler: { run: fail, plan: fail, commit: fail, support: {} } as unknown as ConnectorCapability,
    context: {
      action: {
        id: 'act_1',
        input: {},
        idempotency_key: key,
        ...(mode === undefined ? {} : { transaction: { mode } }),
      },
      signal: new AbortController().signal,
    },
    effectCommitted: () => effect,
    streamSettled: async () => undefined,
    streamFailure: () => stream,
    onUntyped: () => undefined,
  } as unknown as Execution;
  const { result } = await execute(execution);
  return result;
}

const OPEN = { status: 'failed', error: { retryable: false, details: { uncertain_outcome: true } } };

describe('a call with effects that its host made fail', () => {
  const away = new StorageUnavailable('the database gave no connection in time');

  test.each<[string, Case]>([
    ['changes something at the provider', {}],
    ['says that it had an effect, though none is declared', { effects: ['read'], effect: true }],
    ['is a commit', { mode: 'commit' }],
    ['needs a key to be repeated, and has none', { safety: 'safe_with_idempotency_key' }],
  ])('leaves its outcome open when it %s', async (_, given) => {
    const result = await resultOf(away, given);
    expect(result).toMatchObject(OPEN);
    expect(result.error).toMatchObject({ code: 'storage.unavailable' });
    expect(result.error).not.toHaveProperty('retry_after_ms');
    expect(mayRunAgain(result)).toBe(false);
  });

  test.each<[string, Case]>([
    ['changes nothing', { effects: ['read'] }],
    ['is safe to repeat', { safety: 'safe' }],
    ['is safe to repeat with its key', { safety: 'safe_with_idempotency_key', key: 'order-1' }],
    ['is a plan', { mode: 'plan' }],
  ])('may run again when it %s', async (_, given) => {
    expect(mayRunAgain(await resultOf(away, given))).toBe(true);
  });

  test('whose chunk nobody took leaves its outcome open, also when the connector succeeded', async () => {
    for (const thrown of [undefined, busy])
      expect(await resultOf(thrown, { stream: undelivered })).toMatchObject({
        ...OPEN,
        error: { ...OPEN.error, code: 'connector.stream_undelivered' },
      });
    const harmless = await resultOf(undefined, { stream: undelivered, effects: ['read'] });
    expect(harmless.error?.details).toMatchObject({ uncertain_outcome: false });
  });
});

test('a failure of the connector’s own is its statement, unless it reported an effect before', async () => {
  expect(mayRunAgain(await resultOf(busy))).toBe(true);
  const after = await resultOf(busy, { effect: true });
  expect(after.error).toMatchObject({
    code: 'connector.shop.busy',
    retryable: true,
    details: { uncertain_outcome: true },
  });
  expect(mayRunAgain(after)).toBe(false);
  expect(mayRunAgain(await resultOf(busy, { effect: true, safety: 'safe' }))).toBe(true);
});

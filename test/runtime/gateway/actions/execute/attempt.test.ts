import { pino } from 'pino';
import { expect, test } from 'vitest';
import { attemptAction } from '#runtime/gateway/actions/execute/attempt.js';
import type { StopReason } from '#runtime/gateway/actions/execute/lease-keeper.js';
import type { ActionRecord } from '#runtime/gateway/actions/record/record.js';
import { type Dispatched, heldPlace } from '#runtime/gateway/dispatch/dispatched.js';
import { AipError, StorageUnavailable } from '#runtime/protocol/errors.js';
import type { Capability } from '#runtime/protocol/types.js';
import { openSchemaChecks } from '#runtime/registry/contracts/schema-checks.js';

const release = { actionId: 'act_1', fenceToken: 'route_1', settlement: 'completed' as const };
const result = { action_id: 'act_1', status: 'completed' as const, output: { paid: true } };
const capability = { id: 'cap:pay', output_schema: { type: 'object', required: ['paid'] } } as unknown as Capability;
const record = {
  action_id: 'act_1',
  capability_id: 'cap:pay',
  tenant_id: 'acme',
  lease_id: 'lease',
  mode: 'sync',
  attempts: 1,
  session_id: null,
  cancel_requested: false,
  request: { id: 'act_1', capability_id: 'cap:pay', input: {} },
  plan: { placement: 'remote', timeout_ms: 60_000, max_attempts: 1, supports_retry: false, supports_cancel: false },
} as unknown as ActionRecord;

/** What a played host answers. */
type Answer =
  | Omit<Extract<Dispatched, { kind: 'result' }>, 'place'>
  | Omit<Extract<Dispatched, { kind: 'failed' }>, 'place'>;

const schemas = openSchemaChecks();

/** One attempt at an action that a played host completes; `find` gives its capability when its output is checked. */
function attempt(
  find: () => Promise<Capability>,
  answer: (signal: AbortSignal) => Promise<Answer> = async () => ({ kind: 'result', result }),
) {
  let given = 0;
  let stop: ((reason: StopReason) => void) | undefined;
  const routes = { settle: async () => 1 };
  const permit = {
    release: () => {
      given += 1;
    },
  };
  const place = heldPlace({ routes, log: pino({ level: 'silent' }) }, permit, release);
  const outcome = attemptAction(
    {
      pool: { query: () => Promise.reject(new StorageUnavailable('away')) } as never,
      clock: Date.now,
      log: pino({ level: 'silent' }),
      keeper: {
        hold: (_lease: unknown, tell: (reason: StopReason) => void) => {
          stop = tell;
          return { release: () => undefined };
        },
      } as never,
      local: new Map(),
      schemas,
      capabilities: { find: async () => ({ capability: await find(), placement: 'remote' }) } as never,
      dispatcher: {
        execute: async (_work: unknown, signal: AbortSignal) => ({ ...(await answer(signal)), place }),
      } as never,
    },
    record,
  );
  return { outcome, places: () => given, stop: (reason: StopReason) => stop?.(reason) };
}

test('work that its host completed is not a failure while the contract cannot be read: it is read again', async () => {
  let reads = 0;
  const { outcome, places } = attempt(async () => {
    reads += 1;
    if (reads < 3) throw new StorageUnavailable();
    return capability;
  });
  expect(await outcome).toMatchObject({ result, place: { release } });
  expect([reads, places()]).toEqual([3, 0]);
});

test('completed work that cannot be checked is left to another worker, and its place is given back', async () => {
  const broken = new TypeError('no contract');
  const { outcome, places } = attempt(() => Promise.reject(broken));
  await expect(outcome).rejects.toBe(broken);
  expect(places()).toBe(1);
});

test('a failure of the dispatch is the result, and an output against its schema one of its own', async () => {
  const failed = await attempt(
    async () => capability,
    async () => ({ kind: 'failed', error: new AipError('runtime.handler_failed', 'no') }),
  ).outcome;
  expect(failed).toMatchObject({
    result: { status: 'failed', error: { code: 'runtime.handler_failed' } },
    place: { release },
  });
  const wrong = await attempt(
    async () => capability,
    async () => ({ kind: 'result', result: { ...result, output: {} } }),
  ).outcome;
  expect(wrong).toMatchObject({
    result: { status: 'failed', error: { code: 'action.output_schema_invalid' } },
    place: { release },
  });
});

test('an attempt whose lease is lost gives its place back when its dispatch is over, however that ends', async () => {
  for (const find of [async () => capability, () => Promise.reject(new TypeError('no contract'))]) {
    const held = Promise.withResolvers<Answer>();
    const { outcome, places, stop } = attempt(find, () => held.promise);
    stop('lease_lost');
    await expect(outcome).rejects.toThrow('lease');
    expect(places()).toBe(0);
    held.resolve({ kind: 'result', result });
    await expect.poll(places).toBe(1);
  }
});

test('an attempt that is cancelled while the storage is away stops its dispatch, and its place goes with its end', async () => {
  const { outcome, places, stop } = attempt(
    async () => capability,
    (signal) =>
      new Promise((done) =>
        signal.addEventListener('abort', () => done({ kind: 'failed', error: new AipError('runtime.handler_failed') })),
      ),
  );
  stop('cancel');
  expect(await outcome).toMatchObject({
    result: { status: 'cancelled', output: { cancelled: true } },
    place: { release: { ...release, settlement: 'cancelled' } },
  });
  expect(places()).toBe(0);
});

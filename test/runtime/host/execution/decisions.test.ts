import { expect, test } from 'vitest';
import { mayRunAgain } from '#runtime/host/execution/results.js';
import { openRunningActions } from '#runtime/host/execution/running.js';
import type { Work } from '#runtime/host/execution/work.js';
import type { Facts } from '#runtime/host/gate/facts.js';
import { readiness } from '#runtime/host/gate/readiness.js';
import { streaming } from '#runtime/host/gate/streaming.js';
import type { ActionResult } from '#runtime/protocol/types.js';

const CALLBACK_URL = 'https://gateway.test/aip/v1/connector-callbacks';
const gateway = { id: 'service:central', kind: 'service', trust_domain: 'fleet.test', did: 'did:key:z6Mk' };
const route = {
  action_id: 'act_1',
  original_mode: 'streaming',
  credential_revision_ref: 'credential:1',
  quota_policy_ref: 'quota:1',
};

/** What the gate knows of a streaming action whose callback carries this route and names this recipient. */
const factsOf = (carried: object, recipient: object): Facts =>
  ({
    action: {
      id: 'act_1',
      mode: 'streaming',
      callback: {
        profile: 'aip.native.http.v1',
        target: CALLBACK_URL,
        metadata: { connector_callback: carried, connector_callback_recipient: recipient },
      },
    },
    route,
    envelope: { from: gateway },
    host: { callbackUrl: CALLBACK_URL },
  }) as unknown as Facts;

test('a streaming action carries its own route and names its sender as the recipient of chunks', () => {
  expect(streaming(factsOf(route, gateway))).toBeUndefined();
  expect(streaming(factsOf({ ...route, approval_authorization: undefined }, gateway))?.message).toContain(
    'another route',
  );
  for (const other of [
    { id: 'service:other' },
    { kind: 'agent' },
    { trust_domain: 'elsewhere' },
    { did: 'did:key:z6Mx' },
  ])
    expect(streaming(factsOf(route, { ...gateway, ...other }))?.message).toContain('another recipient');
});

test('F-032 F-047 part: a callback that leaves out or changes a reference of its route is refused', () => {
  for (const name of ['credential_revision_ref', 'quota_policy_ref'] as const) {
    const { [name]: _, ...without } = route;
    for (const carried of [without, { ...route, [name]: null }, { ...route, [name]: 'other' }])
      expect(streaming(factsOf(carried, gateway))?.message).toContain('another route');
  }
});

test('only a failure that is retryable and certain may run again on a repeat', () => {
  const failed = (retryable: boolean, uncertain?: boolean): ActionResult =>
    ({
      action_id: 'act_1',
      status: 'failed',
      error: {
        code: 'x',
        retryable,
        ...(uncertain === undefined ? {} : { details: { uncertain_outcome: uncertain } }),
      },
    }) as unknown as ActionResult;
  expect(mayRunAgain(failed(true))).toBe(true);
  expect(mayRunAgain(failed(true, false))).toBe(true);
  expect(mayRunAgain(failed(true, true))).toBe(false);
  expect(mayRunAgain(failed(false))).toBe(false);
  expect(mayRunAgain({ action_id: 'act_1', status: 'completed' } as ActionResult)).toBe(false);
});

test('no action begins above the slots of a host, also when several pass the gate at once', async () => {
  const running = openRunningActions(1);
  const end = Promise.withResolvers<void>();
  const start = (id: string) =>
    running.start({ work: { action: { id } } as Work, requestDigest: id }, async () => {
      await end.promise;
      return { result: { action_id: id, status: 'completed' } };
    });
  const first = start('act_1');
  expect(() => start('act_2')).toThrow(expect.objectContaining({ code: 'connector_host.capacity' }));
  expect([running.inFlight(), running.free()]).toEqual([1, 0]);
  end.resolve();
  await first.done;
  await start('act_2').done;
});

test.each([
  ['drains', { draining: true }],
  ['holds no lease', { leaseValid: false }],
  ['has no storage', { storageReady: false }],
  ['has no connector', { connectorReady: false }],
])('a host that %s takes no new action, and answers what it took before', async (_, change) => {
  const situation = { draining: false, leaseValid: true, storageReady: true, connectorReady: true, ...change };
  const facts = (recorded: boolean, running = false): Facts =>
    ({
      action: { id: 'act_1' },
      running,
      recorded: async () => recorded,
      situation,
      host: { heartbeatMs: 300 },
    }) as unknown as Facts;
  expect(await readiness(facts(false))).toMatchObject({ code: 'connector_host.not_ready', retryAfterMs: 300 });
  expect(await readiness(facts(false, true))).toBeUndefined();
  if (situation.storageReady) expect(await readiness(facts(true))).toBeUndefined();
  expect(await readiness({ ...facts(false), action: undefined })).toBeUndefined();
});

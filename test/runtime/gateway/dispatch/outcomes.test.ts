import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LEASE_LOST, type RemoteWork } from '#runtime/gateway/dispatch/dispatcher.js';
import { StorageUnavailable, TimeoutExceeded } from '#runtime/protocol/errors.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { ProtocolError } from '#runtime/protocol/types.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { withDeadline } from '#runtime/time/deadline.js';
import { until } from '../../../support/until.ts';
import { completed, type Host, type Reply, resultOf, routeOf, startTestbed, type Testbed, work } from './testbed.ts';

let testbed: Testbed;
let host: Host;

beforeAll(async () => {
  testbed = await startTestbed();
  host = testbed.hosts[0] as Host;
});
afterAll(async () => {
  await testbed?.close();
});
beforeEach(async () => {
  await released();
  host.reply = completed;
  await testbed.pool.query('UPDATE registry.replicas SET consecutive_failures = 0, circuit_open_until = 0');
  host.received.length = 0;
});

const IMPATIENT = { failures: 2, failuresBegun: 2, firstPauseMs: 10, maxPauseMs: 20 };
const refusal = (code: string, over: Partial<ProtocolError> = {}): Reply => ({
  error: { code, message: 'no', category: 'temporary', retryable: true, retry_after_ms: 1234, ...over },
  status: code === 'connector_host.capacity' ? 429 : 503,
});
/** Leaves the work as a gateway leaves it that was killed while it asked the host: assigned, and not settled. */
const brokenOff = ({ action, tenantId }: RemoteWork) =>
  testbed.registry.routes.assign([{ actionId: action.id, capabilityId: action.capability_id, tenantId }]);
/** What the registry says about the replica once the assignments are released. */
const released = async (): Promise<{ failures: number }> => {
  const replica = await until('it is released', async () => {
    const found = await testbed.registry.replicas.get(host.replicaId);
    return found?.activeAssignments === 0 && found;
  });
  return { failures: replica.consecutiveFailures };
};

test.each(['connector_host.capacity', 'connector_host.not_ready'])(
  'D-39 %s before anything began is passed on with its hint, counts for no circuit, and the action stays pinned',
  async (code) => {
    host.reply = () => refusal(code);
    const job = work();
    await expect(resultOf(testbed.dispatcher(), job)).rejects.toMatchObject({
      code,
      retryable: true,
      retryAfterMs: 1234,
    });
    expect(host.received).toHaveLength(1);
    expect(await released()).toEqual({ failures: 0 });
    expect((await testbed.registry.routes.find({ actionId: job.action.id, tenantId: job.tenantId }))?.replicaId).toBe(
      host.replicaId,
    );
  },
);

test('a refusal of the credential or the approval is passed on and counts for no circuit; one of the route does count', async () => {
  const denied: Partial<ProtocolError> = { category: 'auth', retryable: false };
  host.reply = () => refusal('connector_host.credential_revision_denied', denied);
  await expect(resultOf(testbed.dispatcher(), work())).rejects.toMatchObject({
    code: 'connector_host.credential_revision_denied',
  });
  expect(await released()).toEqual({ failures: 0 });
  host.reply = () => refusal('connector_host.route_mismatch', denied);
  await expect(resultOf(testbed.dispatcher(), work())).rejects.toMatchObject({
    code: 'connector_host.route_mismatch',
  });
  expect(await released()).toEqual({ failures: 1 });
});

test.each([
  [
    'F-173',
    'another principal',
    () => ({ ...host.signer, principal: { ...host.signer.principal, id: 'agent:other' } }),
  ],
  ['F-174', 'another key', () => ({ ...host.signer, key: signingKeyFromSeed(newSeedHex()) })],
  [
    'F-175',
    'another trust domain',
    () => ({ ...host.signer, principal: { ...host.signer.principal, trust_domain: 'elsewhere' } }),
  ],
])(
  '%s an answer of %s is refused: the outcome is unknown, nothing of the answer is used, and it is not asked again',
  async (_id, _who, signer) => {
    const own = host.signer;
    host.signer = signer();
    try {
      await expect(resultOf(testbed.dispatcher(), work())).rejects.toMatchObject({
        code: 'connector.outcome_unknown',
        details: { uncertain_outcome: true },
      });
    } finally {
      host.signer = own;
    }
    expect(host.received).toHaveLength(1);
    expect(await released()).toEqual({ failures: 1 });
  },
);

test('the result of another action is not an answer', async () => {
  host.reply = () => ({ body: { action_result: { action_id: 'act_other', status: 'completed' } } });
  await expect(resultOf(testbed.dispatcher(), work())).rejects.toMatchObject({
    code: 'connector.outcome_unknown',
  });
});

test('a failed result is a result: it is returned and settles the assignment as completed', async () => {
  await testbed.pool.query('UPDATE registry.replicas SET consecutive_failures = 3');
  host.reply = (envelope) => {
    const { id } = (envelope.body as { action: { id: string } }).action;
    const error = { code: 'connector.operation_failed', message: 'no', category: 'connector' };
    return { body: { action_result: { action_id: id, status: 'failed', error } } };
  };
  expect(await resultOf(testbed.dispatcher(), work())).toMatchObject({ status: 'failed' });
  expect(await released()).toEqual({ failures: 0 });
});

test('a host that cannot be reached at all: the action certainly did not begin, and the replica counts as failed', async () => {
  await host.crash();
  try {
    const dispatcher = testbed.dispatcher({ asking: IMPATIENT }, { retries: 0 });
    await expect(resultOf(dispatcher, work())).rejects.toMatchObject({
      code: 'connector.replica_unavailable',
      retryable: true,
    });
    expect(await released()).toEqual({ failures: 1 });
    const again = work({}, { again: true });
    await brokenOff(again);
    await expect(resultOf(dispatcher, again)).rejects.toMatchObject({ code: 'connector.outcome_unknown' });
    expect(await released()).toEqual({ failures: 2 });
  } finally {
    await host.restart();
  }
});

test.each([
  ['refused', () => refusal('connector_host.capacity'), 'connector_host.capacity', 0],
  [
    'misrouted',
    () => refusal('connector_host.route_mismatch', { category: 'auth' }),
    'connector_host.route_mismatch',
    3,
  ],
])(
  'work that was %s before it began did not begin: the next dispatch is refused in the same way, and no outcome is unknown',
  async (_how, reply, code, failures) => {
    host.reply = reply;
    const job = work({}, { again: true });
    const dispatcher = testbed.dispatcher();
    for (let n = 0; n < 3; n += 1) {
      await expect(resultOf(dispatcher, job)).rejects.toMatchObject({ code });
      await released();
    }
    expect(host.received).toHaveLength(3);
    expect(await released()).toEqual({ failures });
  },
);

test('a host that stays away over two dispatches leaves the outcome known; one after a dispatch that broke off does not', async () => {
  await host.crash();
  try {
    const dispatcher = testbed.dispatcher({ asking: IMPATIENT }, { retries: 0 });
    const job = work({}, { again: true });
    for (let n = 0; n < 2; n += 1) {
      await expect(resultOf(dispatcher, job)).rejects.toMatchObject({ code: 'connector.replica_unavailable' });
      await released();
    }
    await brokenOff(job);
    await expect(resultOf(dispatcher, job)).rejects.toMatchObject({ code: 'connector.outcome_unknown' });
    await released();
    await expect(resultOf(dispatcher, job)).rejects.toMatchObject({ code: 'connector.outcome_unknown' });
    await released();
  } finally {
    await host.restart();
  }
});

test.each<[string, () => Promise<Testbed['registry'] | undefined>]>([
  [
    'its replica is gone',
    async () => {
      await host.lifecycle('offline');
      return undefined;
    },
  ],
  [
    'no place is free under its policy',
    async () => {
      await testbed.pool.query("UPDATE registry.policy_counters SET active = 100000 WHERE scope = 'tenant'");
      return undefined;
    },
  ],
  [
    'the registry cannot be read',
    async () => {
      const away = () => Promise.reject(new StorageUnavailable());
      return { ...testbed.registry, routes: { ...testbed.registry.routes, mayHaveBegun: away, assign: away } };
    },
  ],
])(
  'work that may have begun, and that cannot be asked about because %s, has an unknown outcome',
  async (_why, part) => {
    const job = work({}, { again: true });
    const [route] = await brokenOff(job);
    const { fenceToken } = route as RouteAssignment;
    await testbed.registry.routes.settle([{ actionId: job.action.id, fenceToken, settlement: 'outcome_unknown' }]);
    const registry = await part();
    try {
      const dispatcher = testbed.dispatcher({
        ...(registry && { registry }),
        scheduler: { maxInFlight: 1, maxInFlightPerTenant: 1 },
      });
      await expect(resultOf(dispatcher, job)).rejects.toMatchObject({
        code: 'connector.outcome_unknown',
        retryable: false,
        details: { uncertain_outcome: true },
      });
      expect(host.received).toHaveLength(0);
      await until('its place is free', () => dispatcher.snapshot().active === 0);
    } finally {
      await released();
      await testbed.pool.query('UPDATE registry.policy_counters SET active = 0');
      await testbed.pool.query(`UPDATE registry.replicas SET status = 'ready', lease_expires_at = $1`, [
        Date.now() + 3_600_000,
      ]);
    }
  },
);

test('an answer that was lost is requested again: the same action in a fresh envelope over the same route', async () => {
  let broken = 3;
  host.reply = (envelope) => {
    broken -= 1;
    return broken >= 0 ? 'break' : completed(envelope);
  };
  const job = work({ mode: 'streaming' });
  const result = await resultOf(
    testbed.dispatcher({ asking: { ...IMPATIENT, failuresBegun: 5 } }, { retries: 0 }),
    job,
  );
  expect(result.status).toBe('completed');
  expect(host.received).toHaveLength(4);
  expect(new Set(host.received.map(({ envelope }) => envelope.message_id)).size).toBe(4);
  expect(new Set(host.actions.map(({ id }) => id))).toEqual(new Set([job.action.id]));
  expect(new Set(host.received.map(({ envelope }) => JSON.stringify(routeOf(envelope)))).size).toBe(1);
  expect(await released()).toEqual({ failures: 0 });
});

test('when no answer comes the tries are bounded and the outcome is unknown', async () => {
  host.reply = () => 'break';
  const dispatcher = testbed.dispatcher({ asking: IMPATIENT }, { retries: 0 });
  await expect(resultOf(dispatcher, work())).rejects.toMatchObject({
    code: 'connector.outcome_unknown',
    retryable: false,
  });
  expect(host.received).toHaveLength(3);
  expect(await released()).toEqual({ failures: 1 });
});

test('after an answer was lost a refusal says nothing about the outcome: the host is asked on', async () => {
  const replies: (Reply | undefined)[] = [
    'break',
    refusal('connector_host.not_ready'),
    refusal('connector_host.capacity'),
  ];
  host.reply = (envelope) => replies.shift() ?? completed(envelope);
  const result = await resultOf(
    testbed.dispatcher({ asking: { ...IMPATIENT, failuresBegun: 5 } }, { retries: 0 }),
    work(),
  );
  expect(result.status).toBe('completed');
  expect(host.received).toHaveLength(4);
});

test('a message that the host had received before its answer was lost is asked about again', async () => {
  let count = 0;
  host.reply = (envelope) => {
    count += 1;
    if (count === 1) return 'break';
    if (count === 2) return refusal('connector_host.replay', { category: 'policy', retryable: false });
    return completed(envelope);
  };
  const dispatcher = testbed.dispatcher({ asking: { ...IMPATIENT, failuresBegun: 1 } }, { retries: 1 });
  expect((await resultOf(dispatcher, work())).status).toBe('completed');
  const ids = host.received.map(({ envelope }) => envelope.message_id);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('a host that comes back while it is asked gives the result; a lease that ended ends the asking at once', async () => {
  const patient = testbed.dispatcher(
    { asking: { failuresBegun: 100, firstPauseMs: 20, maxPauseMs: 50 } },
    { retries: 0 },
  );
  host.reply = () => 'break';
  const running = resultOf(patient, work());
  await until('it was asked', () => host.received.length > 0);
  await host.crash();
  host.reply = completed;
  await host.restart();
  expect((await running).status).toBe('completed');
  host.reply = () => 'break';
  const lost = resultOf(patient, work());
  await until('it was asked', () => host.received.length > 2);
  await host.lifecycle('offline');
  await expect(lost).rejects.toMatchObject({ code: 'connector.outcome_unknown' });
  await testbed.pool.query(`UPDATE registry.replicas SET status = 'ready', lease_expires_at = $1`, [
    Date.now() + 3_600_000,
  ]);
});

test('an action longer than one exchange is requested again until its result: the host attaches every request to the one execution', async () => {
  const done = Promise.withResolvers<void>();
  host.reply = async (envelope) => {
    await done.promise;
    return completed(envelope);
  };
  const dispatcher = testbed.dispatcher(
    { asking: { ...IMPATIENT, failuresBegun: 0, attemptMs: 500 } },
    { timeoutMs: 500, retries: 0 },
  );
  const running = resultOf(dispatcher, work());
  await until('it was asked several times', () => host.received.length > 4);
  done.resolve();
  expect((await running).status).toBe('completed');
  expect(await released()).toEqual({ failures: 0 });
});

test('the asking ends with the time of the action', async () => {
  host.reply = () => new Promise(() => undefined);
  const dispatcher = testbed.dispatcher({ asking: { ...IMPATIENT, attemptMs: 500 } }, { timeoutMs: 500, retries: 0 });
  const startedAt = performance.now();
  const { signal } = withDeadline(undefined, 5000, () => new TimeoutExceeded());
  await expect(resultOf(dispatcher, work(), signal)).rejects.toMatchObject({ code: 'sla.timeout_exceeded' });
  expect(performance.now() - startedAt).toBeGreaterThan(4980);
  expect(host.received.length).toBeGreaterThan(2);
  expect(await released()).toEqual({ failures: 1 });
});

test('one that is stopped releases its assignment; one whose lease was lost leaves it to the next worker', async () => {
  host.reply = () => new Promise(() => undefined);
  const dispatcher = testbed.dispatcher();
  for (const [reason, active] of [
    ['cancel', 0],
    [LEASE_LOST, 1],
  ] as const) {
    const controller = new AbortController();
    const job = work();
    const running = resultOf(dispatcher, job, controller.signal);
    await until('it arrived', () => host.actions.some(({ id }) => id === job.action.id));
    controller.abort(reason);
    await expect(running).rejects.toMatchObject({ code: 'connector.outcome_unknown' });
    await until('the place is as it should be', async () => {
      const replica = await testbed.registry.replicas.get(host.replicaId);
      return replica?.activeAssignments === active;
    });
  }
  await testbed.pool.query('UPDATE registry.assignments SET reserved = false; UPDATE registry.replicas SET active = 0');
});

test('one that is stopped while it waits for a place leaves the queue and pins nothing', async () => {
  const done = Promise.withResolvers<void>();
  host.reply = async (envelope) => {
    await done.promise;
    return completed(envelope);
  };
  const dispatcher = testbed.dispatcher({ scheduler: { maxInFlight: 1, maxInFlightPerTenant: 1 } });
  const first = resultOf(dispatcher, work());
  const controller = new AbortController();
  const waiting = work();
  const second = resultOf(dispatcher, waiting, controller.signal);
  await until('it waits', () => dispatcher.snapshot().queued === 1);
  controller.abort(new Error('not needed'));
  await expect(second).rejects.toThrow('not needed');
  done.resolve();
  await first;
  await until('the place is given back', () => dispatcher.snapshot().active === 0);
  expect(
    await testbed.registry.routes.find({ actionId: waiting.action.id, tenantId: waiting.tenantId }),
  ).toBeUndefined();
});

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProtocolError } from '#runtime/protocol/types.js';
import { probeCapability } from '../../../support/external-host.ts';
import { until } from '../../../support/until.ts';
import { completed, forever, type Host, type Reply, resultOf, startTestbed, type Testbed, work } from './testbed.ts';

/** A host of another make: nothing says that it journals actions by id. */
let testbed: Testbed;
let host: Host;

beforeAll(async () => {
  testbed = await startTestbed([{}], [probeCapability('echo')], ['aip.native.http.v1']);
  host = testbed.hosts[0] as Host;
});
afterAll(async () => {
  await testbed?.close();
});
beforeEach(async () => {
  await testbed.pool.query('UPDATE registry.replicas SET consecutive_failures = 0, circuit_open_until = 0');
  host.reply = completed;
  host.received.length = 0;
});

/** The different messages among those that arrived. */
const messages = (): string[] => [...new Set(host.received.map(({ envelope }) => JSON.stringify(envelope)))];
/** The assignments that still hold a place. */
const held = async (): Promise<number> =>
  (await testbed.registry.replicas.get(host.replicaId))?.activeAssignments as number;
const refusal = (code: string): Reply => ({
  error: { code, message: 'no', category: 'temporary', retryable: true } as ProtocolError,
  status: 503,
});

test('F-301 N-429 N-468 a host that breaks every connection gets one signed envelope, at most 1 + 2 times, and the outcome is unknown', async () => {
  host.reply = () => 'break';
  await expect(resultOf(testbed.dispatcher(), work())).rejects.toMatchObject({
    code: 'connector.outcome_unknown',
  });
  expect(host.received).toHaveLength(3);
  expect(messages()).toHaveLength(1);
  await until('its place is free', async () => (await held()) === 0);
});

test('F-301 a host that answers on the third attempt succeeds', async () => {
  host.reply = (envelope) => (host.received.length < 3 ? 'break' : completed(envelope));
  expect(await resultOf(testbed.dispatcher(), work())).toMatchObject({ status: 'completed' });
  expect(messages()).toHaveLength(1);
});

test('F-301 a host that answers too late is sent the same message only, so that it begins the work once', async () => {
  const late = Promise.withResolvers<Reply>();
  const begun = new Set<string>();
  host.reply = (envelope) => {
    if (begun.has(envelope.message_id)) return refusal('connector_host.replay');
    begun.add(envelope.message_id);
    return late.promise;
  };
  const dispatcher = testbed.dispatcher({ asking: { attemptMs: 1000 } }, { timeoutMs: 1000 });
  await expect(resultOf(dispatcher, work())).rejects.toMatchObject({ code: 'connector.outcome_unknown' });
  expect(begun.size).toBe(1);
  late.resolve('break');
});

test('work that a broken-off dispatch may have begun is not sent again: its outcome is unknown and its place is free', async () => {
  const job = work({}, { again: true });
  const { id: actionId, capability_id: capabilityId } = job.action;
  await testbed.registry.routes.assign([{ actionId, capabilityId, tenantId: job.tenantId }]);
  const dispatched = await testbed.dispatcher().execute(job, forever());
  {
    await using place = dispatched.place;
    const error = { code: 'connector.outcome_unknown' };
    expect(dispatched).toMatchObject({ kind: 'failed', error, journaled: false });
    expect(place?.release?.settlement).toBe('outcome_unknown');
    expect(host.received).toEqual([]);
  }
  expect(await held()).toBe(0);
});

test('work that a broken-off dispatch may have begun is sent again where the contract permits another attempt', async () => {
  const job = work({}, { again: true, repeatable: true });
  const { id: actionId, capability_id: capabilityId } = job.action;
  await testbed.registry.routes.assign([{ actionId, capabilityId, tenantId: job.tenantId }]);
  expect(await resultOf(testbed.dispatcher(), job)).toMatchObject({ status: 'completed' });
  expect(host.received).toHaveLength(1);
});

test.each(['connector_host.not_ready', 'connector_host.capacity', 'connector_host.credential_revision_denied'])(
  'a refusal %s after an attempt whose answer was lost does not prove that nothing began',
  async (code) => {
    host.reply = () => (host.received.length === 1 ? 'break' : refusal(code));
    await expect(resultOf(testbed.dispatcher(), work())).rejects.toMatchObject({
      code: 'connector.outcome_unknown',
    });
    expect(messages()).toHaveLength(1);
  },
);

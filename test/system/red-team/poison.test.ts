import { expect, onTestFinished, test } from 'vitest';
import { claimDeliveries } from '#runtime/gateway/callbacks/claim.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { newDelivery } from '../../runtime/gateway/callbacks/support.ts';
import { newEvent, startEventsAlone } from '../../runtime/gateway/events/fixture.ts';
import { open, page } from '../../runtime/gateway/events/stream-client.ts';
import { actionsOverFreshDatabase, capability } from '../../runtime/gateway/support/actions.ts';
import { until } from '../../support/until.ts';

/** Text that JSON may hold and that the database's own functions do not read. */
const POISON = ['a zero \u0000 character', 'half a pair \ud800'];

test.each(POISON)(
  'an event that is named like a chunk’s and holds %j keeps no event from another tenant',
  async (text) => {
    const events = await startEventsAlone();
    onTestFinished(() => events.close());
    const base = `${events.server.url}/aip/v1/events`;
    const witness = await open(`${base}?follow=true`, 'foreign');
    onTestFinished(() => witness.close());
    const poison = newEvent({ data: { text, sequence: 0 } });
    const own = newEvent({ tenantId: 'tenant-b', principalId: 'human:foreign' });
    await events.pool.tx((client) =>
      appendEvents(client, [{ ...poison, event: { ...poison.event, kind: 'aip.stream.chunk' } }, own]),
    );
    await witness.waitFor('the witness has its event', (stream) => stream.eventIds().includes(own.event.id));
    expect((await page(base, 'operator')).status).toBe(200);
  },
);

test('a callback of an action whose input holds a zero character keeps no callback of another tenant from its receiver', async () => {
  const { gateway, end } = await actionsOverFreshDatabase([capability('cap:test:fast', async () => ({}))]);
  onTestFinished(end);
  const id = newId('action');
  const observability = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' };
  const text = 'a zero \u0000 character';
  await gateway.submit({ id, capability_id: 'cap:test:fast', mode: 'async', input: { text }, observability });
  await gateway.ended(id);
  const callback = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:1/' };
  const deliveries = [newDelivery(callback, { action_id: id }), newDelivery(callback, { tenant_id: 'globex' })];
  await insertDeliveries(gateway.pool, deliveries);
  const claimed = await claimDeliveries(gateway.pool, {
    nowMs: Date.now() + 1000,
    leasedBy: 'gateway',
    leaseId: 'lease',
    limit: 10,
  });
  expect(claimed.map(({ delivery_id }) => delivery_id).sort()).toEqual(
    deliveries.map(({ delivery_id }) => delivery_id).sort(),
  );
  // The trace of the action is read all the same.
  expect(claimed.find(({ action_id }) => action_id === id)?.trace).toMatchObject({
    traceId: observability.trace_id,
  });
});

test('an action whose error has a code with a zero character ends as failed, and so do those that end beside it', async () => {
  const all = Promise.withResolvers<void>();
  const { gateway, end } = await actionsOverFreshDatabase([
    capability('cap:test:poison', async () => {
      await all.promise;
      throw new RemoteError({ code: 'a\u0000b', message: 'a zero \u0000 character', category: 'connector' });
    }),
    capability('cap:test:waits', () => all.promise.then(() => ({}))),
  ]);
  onTestFinished(end);
  const ids = [newId('action'), newId('action'), newId('action')] as const;
  for (const [index, id] of ids.entries())
    await gateway.submit({ id, capability_id: index === 1 ? 'cap:test:poison' : 'cap:test:waits', mode: 'async' });
  await until('all run', async () =>
    (await Promise.all(ids.map(gateway.record))).every(({ state }) => state === 'running'),
  );
  all.resolve();
  const ended = await Promise.all(ids.map(gateway.ended));
  expect(ended.map(({ result, attempts }) => [result?.status, result?.error?.code, attempts])).toEqual([
    ['completed', undefined, 1],
    ['failed', 'ab', 1],
    ['completed', undefined, 1],
  ]);
});

import { expect, onTestFinished, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { newEvent, startEventsAlone } from '../../runtime/gateway/events/fixture.ts';
import { open, page } from '../../runtime/gateway/events/stream-client.ts';

const BACKLOG = 1500;
const FOLLOWS = 100;

test('a tenant that opens 100 follows over its whole history keeps no event and no page from another tenant', async () => {
  const events = await startEventsAlone();
  onTestFinished(() => events.close());
  const text = 'x'.repeat(2000);
  for (let stored = 0; stored < BACKLOG; stored += 500)
    await events.pool.tx((client) =>
      appendEvents(
        client,
        Array.from({ length: 500 }, () => newEvent({ data: { text } })),
      ),
    );
  const base = `${events.server.url}/aip/v1/events`;
  const witness = await open(`${base}?follow=true`, 'foreign');
  const attacks = await Promise.all(Array.from({ length: FOLLOWS }, () => open(`${base}?follow=true`, 'operator')));
  onTestFinished(() => {
    for (const stream of [witness, ...attacks]) stream.close();
  });
  const running = attacks.filter(({ status }) => status === 200);
  expect(running.length).toBeGreaterThan(0);
  const received = () => running.reduce((sum, stream) => sum + stream.eventIds().length, 0);
  const own = newEvent({ tenantId: 'tenant-b', principalId: 'human:foreign' });
  await events.pool.tx((client) => appendEvents(client, [own]));
  expect((await page(base, 'foreign')).status).toBe(200);
  await witness.waitFor('the witness has its event', (stream) => stream.eventIds().includes(own.event.id));
  // It did not wait until the others had read everything.
  expect(received()).toBeLessThan(running.length * BACKLOG);
});

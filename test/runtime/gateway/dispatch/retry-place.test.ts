import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startSharesMaintenance } from '#runtime/gateway/maintenance/shares.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Capability } from '#runtime/protocol/types.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { probeCapability } from '../../../support/external-host.ts';
import { caller, contractOf, startActions } from '../support/actions.ts';
import { completed, type Host, startTestbed, TENANT, type Testbed } from './testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  const echo = { ...probeCapability('echo'), contract: contractOf() } as Capability;
  testbed = await startTestbed([{}], [echo]);
  await testbed.pool.query('UPDATE registry.replicas SET capacity = 1');
});
afterAll(() => testbed?.close());

test('an action that is tried again gets the only place, which its first attempt gave back, and no attempt is lost', async () => {
  const registry = openRegistry({ data: testbed.pool, clock: Date.now, shares: testbed.pool });
  const shares = startSharesMaintenance(registry.allotments, pino({ level: 'silent' }));
  const actions = await startActions(testbed.databaseUrl, [], Date.now, {
    registry,
    dispatcher: testbed.dispatcher({ registry }),
    storedRoutes: registry.routes,
    releaseRoutes: (items, client) => (client ? registry.routes.settle(items, client) : registry.routes.release(items)),
  });
  const host = testbed.hosts[0] as Host;
  onTestFinished(async () => {
    host.reply = completed;
    await actions.stop();
    await shares.stop();
  });
  const error = { code: 'provider.busy', message: 'busy', category: 'connector', retryable: true } as const;
  host.reply = (envelope) => {
    host.reply = completed;
    const { action } = envelope.body as { action: { id: string } };
    return { body: { action_result: { action_id: action.id, status: 'failed', error } } };
  };
  const id = newId('action');
  const echo = { id, capability_id: 'cap:probe:echo', input: { text: 'hello' }, mode: 'async' } as const;
  await actions.submit(echo, { as: caller('agent:desk', TENANT) });
  expect(await actions.ended(id)).toMatchObject({ state: 'completed', attempts: 2 });
  const { rows } = await actions.pool.query<{ code: string }>(
    `SELECT record -> 'data' -> 'error' ->> 'code' AS code FROM runtime.events WHERE action_id = $1 AND kind = 'aip.action.retry_scheduled'`,
    [id],
  );
  expect(rows).toEqual([{ code: 'provider.busy' }]);
});

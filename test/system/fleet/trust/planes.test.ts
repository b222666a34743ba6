import { expect, onTestFinished, test } from 'vitest';
import { drain, expectRejected, signed as signedCommand, startPlane } from '../../../controller/control-plane/plane.ts';
import {
  EVENTS,
  eventsOf,
  newEvent,
  openTestbed,
  post,
  signed,
  TRUST_DOMAIN,
} from '../../../runtime/gateway/ingress/testbed.ts';
import type { Fleet, TestReplica } from '../../../runtime/registry/fleet.ts';
import { startSetGateway } from '../../settings/support.ts';

test('F-007 F-009 F-011 the key of one plane, and a bearer token that the gateway takes, sign nothing on another plane', async () => {
  const testbed = await openTestbed();
  onTestFinished(() => testbed.close());
  const gateway = await startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN });
  const fleet = { clock: Date.now, pool: testbed.registryPool } as Fleet;
  const plane = await startPlane(fleet);
  onTestFinished(() => plane.close());
  const host = await testbed.host();
  const replica = { id: host.replicaId, key: host.key } as TestReplica;
  const stored = () => testbed.registry.replicas.get(host.replicaId);
  const before = await stored();
  const bearer = { authorization: `Bearer ${gateway.token}` };
  expect((await gateway.client.get('/aip/v1/events')).status).toBe(200);

  const command = drain(replica, host.sequence);
  const own = await signedCommand(fleet, replica, command);
  const asGateway = { key: gateway.key };
  const asHost = { key: gateway.key, did: host.key.did };
  const texts = [
    await signedCommand(fleet, replica, command, asGateway),
    await signedCommand(fleet, replica, command, asHost),
    JSON.stringify({ ...JSON.parse(own), signature: '' }),
  ];
  for (const text of texts)
    for (const headers of [{}, bearer]) await expectRejected(plane, await plane.post(text, headers as typeof bearer));
  expect(await stored()).toEqual(before);

  const body = { event_stream: { events: [newEvent()] } };
  const sender = { principal: host.principal, key: plane.key };
  const envelope = await signed(sender, body, { connector_event: host.eventRoute() });
  const denied = { status: 401, code: 'connector_event.not_authorized' };
  expect(await post(gateway.url, EVENTS, envelope)).toMatchObject(denied);
  expect(await testbed.storedEvents()).toEqual([]);

  // Under the key of the host both are taken as they are.
  expect((await post(gateway.url, EVENTS, await eventsOf(host, [newEvent()]))).status).toBe(200);
  expect(await plane.post(own)).toMatchObject({ status: 200, response: { status: 'lease' } });
});

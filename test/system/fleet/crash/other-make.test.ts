import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Capability } from '#runtime/protocol/types.js';
import {
  completed,
  type Host,
  startTestbed,
  type Testbed,
  TRUST_DOMAIN,
} from '../../../runtime/gateway/dispatch/testbed.ts';
import { probeCapability } from '../../../support/external-host.ts';
import { until } from '../../../support/until.ts';
import { type SetGateway, startSetGateway } from '../../settings/support.ts';

/** A capability whose contract permits another attempt. */
function repeatable(name: string): Capability {
  const made = probeCapability(name);
  const { contract } = made as { contract: { execution: object } };
  const execution = { ...contract.execution, supports_retry: true, retry_safety: 'safe' };
  return { ...made, contract: { ...contract, execution } } as unknown as Capability;
}

/** A host of another make: its manifest does not say that it journals actions by id. */
let testbed: Testbed;
let host: Host;
beforeAll(async () => {
  testbed = await startTestbed([{}], [probeCapability('once'), repeatable('again')], ['aip.native.http.v1']);
  host = testbed.hosts[0] as Host;
});
afterAll(() => testbed?.close());
beforeEach(() => {
  host.received.length = 0;
  host.reply = completed;
});

const start = (): Promise<SetGateway> =>
  startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN, CONNECTOR_FLEET_TIMEOUT_MS: '60000' });

/** An action whose host has it and does not answer, when its gateway is killed and its lease is over. */
async function abandoned(capability: string): Promise<string> {
  const gateway = await start();
  host.reply = () => new Promise(() => undefined);
  const { id } = await gateway.client.submit({ capability_id: `cap:probe:${capability}`, mode: 'async' });
  await until('the host has it', () => host.actions.length === 1);
  await gateway.end('SIGKILL');
  host.reply = completed;
  await testbed.pool.query('UPDATE runtime.actions SET lease_expires_at = 0 WHERE action_id = $1', [id]);
  return id;
}
const endOf = async (id: string) => {
  const gateway = await start();
  return until('the action ended', async () => {
    const status = await gateway.client.status(id);
    return status.completed_at !== undefined && status;
  });
};

test('F-301 part: what a killed gateway had sent to a host of another make is not sent again by the next one: the outcome is unknown', async () => {
  const id = await abandoned('once');
  expect(await endOf(id)).toMatchObject({
    state: 'dead_lettered',
    result: { status: 'failed', error: { code: 'connector.outcome_unknown' } },
  });
  expect(host.actions.map((action) => action.id)).toEqual([id]);
});

test('F-301 part: it is sent again, in a message of its own, where the contract of the capability permits another attempt', async () => {
  const id = await abandoned('again');
  expect(await endOf(id)).toMatchObject({ state: 'completed', result: { status: 'completed' } });
  expect(host.actions.map((action) => action.id)).toEqual([id, id]);
  expect(new Set(host.received.map(({ envelope }) => envelope.message_id)).size).toBe(2);
});

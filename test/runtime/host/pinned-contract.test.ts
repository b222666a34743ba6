import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '#runtime/protocol/digest.js';
import { newId } from '#runtime/protocol/ids.js';
import { end } from './support/host-process.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({
    env: { AIP_CONNECTOR_HOST_CONNECTOR_MODULE: resolve(import.meta.dirname, 'support', 'ledger-connector.ts') },
  });
});
afterAll(async () => {
  await testbed?.stop();
});

const runs = async (): Promise<number> => {
  const { rows } = await testbed.pool.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM aip_host.connector_state WHERE key LIKE 'runs:%'",
  );
  return rows[0]?.n ?? 0;
};

test('F-327 a host that came back with another contract refuses what is pinned to the old one, also what it ran before, and runs the new', async () => {
  const done = { id: newId('action'), capability_id: 'cap:ledger:book', input: {} };
  const open = { ...done, id: newId('action') };
  const answer = await testbed.central.send(done);
  expect(answer.result).toMatchObject({ status: 'completed' });
  const old = digestOf(testbed.manifest());
  await end(testbed.host, 'SIGTERM');
  testbed.env.AIP_CONNECTOR_HOST_CONFIG = JSON.stringify({ name: 'test', sla_ms: 1234 });
  await testbed.start();
  await testbed.ready();
  expect(digestOf(testbed.manifest())).not.toBe(old);
  for (const action of [open, done])
    expect(await testbed.central.send(action, { route: { manifest_digest: old } })).toMatchObject({
      status: 403,
      signer: testbed.key.did,
      error: { code: 'connector_host.route_mismatch' },
    });
  expect(await runs()).toBe(1);
  expect((await testbed.central.send(open)).result).toMatchObject({ status: 'completed' });
  expect(await runs()).toBe(2);
});

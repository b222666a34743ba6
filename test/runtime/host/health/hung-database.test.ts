import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentProxy } from '../../../support/network/silent-proxy.ts';
import { until } from '../../../support/until.ts';
import { startTestbed } from '../support/testbed.ts';

test('a host whose database does not answer refuses work with 503, is not ready, and works again afterwards', async () => {
  const testbed = await startTestbed({ idle: true });
  const way = await silentProxy(testbed.databaseUrl);
  onTestFinished(async () => {
    await testbed.stop();
    await way.close();
  });
  await writeFile(join(testbed.folder, 'database'), way.url, { mode: 0o600 });
  await testbed.start();
  await testbed.ready();
  const send = () => testbed.central.send({ capability_id: 'cap:demo:echo', input: {} });
  expect(await send()).toMatchObject({ status: 200, result: { status: 'completed' } });
  way.silence();
  const [answer, readiness] = await Promise.all([send(), testbed.readiness()]);
  expect(answer).toMatchObject({ status: 503, signer: testbed.key.did, error: { retryable: true } });
  expect([readiness.status, readiness.body.runtime.ready]).toEqual([503, false]);
  way.resume();
  await testbed.ready();
  await until('it works again', async () => (await send()).status === 200);
});

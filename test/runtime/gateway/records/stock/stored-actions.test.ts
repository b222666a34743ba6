import { expect, onTestFinished, test } from 'vitest';
import { openPool } from '#runtime/postgres/pool.js';
import { actionEnvelope, startHttpGateway, TOKEN } from '../../support/gateway.ts';

test('the metrics report how many actions are stored, in how many bytes, and for how long they stay', async () => {
  const gateway = await startHttpGateway({ env: { AIP_GATEWAY_RETENTION_ACTIONS_DAYS: '7' } });
  const pool = openPool({ url: gateway.databaseUrl, max: 1 });
  onTestFinished(async () => {
    await pool.close();
    await gateway.stop();
  });
  for (let sent = 0; sent < 3; sent += 1)
    expect((await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: actionEnvelope() })).status).toBe(200);
  await pool.query('ANALYZE runtime.actions');
  const { body } = await gateway.call('GET', '/metrics');
  expect(body).toMatch(/^aip_stored_actions 3$/m);
  expect(Number(/^aip_stored_actions_bytes (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(8192);
  expect(body).toMatch(/^aip_retention_actions_days 7$/m);
});

import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openHealthMonitor } from '#runtime/host/health/health.js';
import { until } from '../../../support/until.ts';

test('F-275 F-121 a storage that failed is checked until it is back, without a request', async () => {
  let away = true;
  let looks = 0;
  const monitor = openHealthMonitor({
    writeProbe: async () => {
      looks += 1;
      if (away) throw new Error('no storage');
    },
    connector: { type: 'quiet' } as never,
    config: {},
    tenant: { id: 'acme' },
    secret: {} as never,
    isHeldUp: () => false,
    timeoutMs: 1000,
    log: pino({ level: 'silent' }),
  });
  expect(monitor.state.storage).toEqual({ ready: false, detail: 'not probed yet' });
  expect((await monitor.probe()).storage.ready).toBe(false);
  await until('it was looked at again', () => looks >= 3);
  away = false;
  await until('it is back', () => monitor.state.storage.ready);
  const settled = looks;
  expect((await monitor.probe()).storage.ready).toBe(true);
  expect(looks).toBe(settled + 1);
});

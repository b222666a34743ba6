import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { openWaits } from '#controller/local/run/waits.js';

test('a wait ends when its state holds after a reconcile, when its time has passed, and when the fleet ends', async () => {
  const ending = new AbortController();
  const waits = openWaits(ending.signal);
  let ready = false;
  const reached = waits.until(() => ready);
  waits.ended();
  ready = true;
  waits.ended();
  expect(await reached).toBe(true);
  expect(await waits.until(() => false, 1)).toBe(false);
  const open = waits.until(() => false);
  ending.abort();
  expect(await open).toBe(false);
});

test('a fleet that has ended is waited for no more, and a state that holds already still counts', async () => {
  const waits = openWaits(AbortSignal.abort());
  expect(await waits.until(() => false)).toBe(false);
  expect(await waits.until(() => true)).toBe(true);
});

test('waits that have ended leave no listener at the signal of the fleet', async () => {
  const { signal } = new AbortController();
  const waits = openWaits(signal);
  await waits.until(() => true);
  await waits.until(() => false, 1);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

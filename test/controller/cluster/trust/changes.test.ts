import { expect, test } from 'vitest';
import { openTrustNews } from '#controller/cluster/trust/changes.js';
import type { TrustObservation } from '#controller/trust/decide/step.js';

const ready: TrustObservation = { object: 'aip-trust', type: 'Ready', reason: 'Active', message: 'all is well' };
const refusedIn = (namespace: string): TrustObservation => ({
  object: 'aip-trust',
  type: 'Stalled',
  reason: 'CopyRefused',
  message: `namespace ${namespace} cannot have the trust bundle`,
});

test('several things about one object are each told once, and not in turns', () => {
  const news = openTrustNews();
  const all = [ready, refusedIn('a'), refusedIn('b')];
  expect(news(all, true)).toEqual(all);
  expect(news(all, true)).toEqual([]);
  expect(news([...all, refusedIn('c')], true)).toEqual([refusedIn('c')]);
});

test('what was over is told again when it comes back', () => {
  const news = openTrustNews();
  news([ready, refusedIn('a')], true);
  expect(news([ready], true)).toEqual([]);
  expect(news([ready, refusedIn('a')], true)).toEqual([refusedIn('a')]);
});

test('a look at a part leaves what was told of the rest', () => {
  const news = openTrustNews();
  news([ready, refusedIn('a')], true);
  expect(news([ready], false)).toEqual([]);
  expect(news([ready, refusedIn('a')], true)).toEqual([]);
});

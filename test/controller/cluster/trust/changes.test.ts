import { expect, test } from 'vitest';
import { openTrustChanges } from '#controller/cluster/trust/changes.js';
import type { TrustObservation } from '#controller/trust/decide/step.js';

const ready: TrustObservation = { object: 'aip-trust', type: 'Ready', reason: 'Active', message: 'all is well' };
const refusedIn = (namespace: string): TrustObservation => ({
  object: 'aip-trust',
  type: 'Stalled',
  reason: 'CopyRefused',
  message: `namespace ${namespace} cannot have the trust bundle`,
});

test('several things about one object are each reported once, and not alternately', () => {
  const news = openTrustChanges();
  const all = [ready, refusedIn('a'), refusedIn('b')];
  expect(news(all, true)).toEqual(all);
  expect(news(all, true)).toEqual([]);
  expect(news([...all, refusedIn('c')], true)).toEqual([refusedIn('c')]);
});

test('what was over is reported again when it comes back', () => {
  const news = openTrustChanges();
  news([ready, refusedIn('a')], true);
  expect(news([ready], true)).toEqual([]);
  expect(news([ready, refusedIn('a')], true)).toEqual([refusedIn('a')]);
});

test('a check of a part leaves what was reported of the rest', () => {
  const news = openTrustChanges();
  news([ready, refusedIn('a')], true);
  expect(news([ready], false)).toEqual([]);
  expect(news([ready, refusedIn('a')], true)).toEqual([]);
});

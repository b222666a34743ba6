import { expect, test } from 'vitest';
import type { Condition } from '#controller/api/status.js';
import { mergeConditions, type Observed, sameStatus } from '#controller/kube/record/conditions.js';

const EARLIER = '2026-01-01T00:00:00Z';
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const WRITTEN = '2026-01-02T03:04:05Z';
const ready = (status: Condition['status'], reason = 'Because', message = 'so'): Observed => ({
  type: 'Ready',
  status,
  reason,
  message,
});
const known: Condition[] = [{ ...ready('True'), observedGeneration: 1, lastTransitionTime: EARLIER }];
const at = { generation: 2, now: NOW };

test('the time of a condition moves only with its status', () => {
  const same = mergeConditions(known, [ready('True', 'Another', 'text')], at);
  expect(same).toEqual([{ ...ready('True', 'Another', 'text'), observedGeneration: 2, lastTransitionTime: EARLIER }]);
  expect(mergeConditions(known, [ready('False')], at)[0]?.lastTransitionTime).toBe(WRITTEN);
  expect(mergeConditions(known, [ready('Unknown')], at)[0]?.lastTransitionTime).toBe(WRITTEN);
  expect(mergeConditions(undefined, [ready('True')], at)[0]?.lastTransitionTime).toBe(WRITTEN);
});

test('Reconciling and Stalled are there only while they are not false', () => {
  const all = (status: Condition['status']): string[] =>
    mergeConditions(
      known,
      ['Stalled', 'Ready', 'Reconciling'].map((type) => ({ ...ready(status), type })),
      at,
    ).map(({ type }) => type);
  expect(all('False')).toEqual(['Ready']);
  expect(all('True')).toEqual(['Ready', 'Reconciling', 'Stalled']);
  expect(all('Unknown')).toEqual(['Ready', 'Reconciling', 'Stalled']);
});

test('what was not observed is left out, and a generation that is not known is not written', () => {
  expect(mergeConditions(known, [], at)).toEqual([]);
  expect(mergeConditions([], [ready('True')], { generation: undefined, now: NOW })[0]).not.toHaveProperty(
    'observedGeneration',
  );
});

test('a status is the same whatever the order of its members and conditions', () => {
  const a = {
    replicas: 2,
    conditions: mergeConditions([], [ready('True'), { ...ready('True'), type: 'Admitted' }], at),
  };
  const b = { conditions: [...a.conditions].reverse(), replicas: 2, selector: undefined };
  expect(sameStatus(a, b, ['Ready', 'Admitted'])).toBe(true);
  expect(sameStatus(a, { ...b, replicas: 3 }, ['Ready', 'Admitted'])).toBe(false);
  expect(sameStatus(undefined, b, ['Ready', 'Admitted'])).toBe(false);
});

test('an own condition more or less is a difference, one of another writer is not', () => {
  const a = { conditions: mergeConditions([], [ready('True')], at) };
  const stalled = { ...ready('True'), type: 'Stalled', lastTransitionTime: EARLIER };
  const foreign = { ...ready('True'), type: 'example.dev/Audited', lastTransitionTime: EARLIER };
  const own = ['Ready', 'Stalled'];
  expect(sameStatus({ conditions: [...a.conditions, foreign] }, a, own)).toBe(true);
  expect(sameStatus({ conditions: [...a.conditions, stalled] }, a, own)).toBe(false);
  expect(sameStatus({ conditions: [] }, a, own)).toBe(false);
});

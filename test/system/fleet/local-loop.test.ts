import { expect, test } from 'vitest';
import { isUnderWay } from '#controller/local/reconcile-instance.js';
import type { ObservedReplica } from '#controller/reconcile/inputs.js';
import type { Step } from '#controller/reconcile/step.js';

type Seen = Pick<ObservedReplica, 'record' | 'runner' | 'retiring'>;

const SERVING: Seen = { record: 'ready', runner: 'running', retiring: false };
const COMING: Seen = { record: 'offline', runner: 'running', retiring: false };
const condition = (type: string, status: 'True' | 'False') => ({ type, status, reason: 'Any', message: '' });
const READY = [condition('Ready', 'True')];
const step = (what: Step['do']) => ({ do: what }) as Step;

test.each([
  ['nothing is left to do', [], READY, [SERVING], false],
  ['a step was taken', [step('start')], READY, [SERVING], true],
  ['the connector is being described', [step('describe')], READY, [SERVING], false],
  ['the instance is not ready', [], [condition('Ready', 'False')], [], true],
  ['only a change can help', [], [condition('Ready', 'False'), condition('Stalled', 'True')], [], false],
  // The old host serves, so that the instance stays ready; new code would wait for the idle poll.
  ['the new host of a rollout comes up', [], READY, [SERVING, COMING], true],
  ['the old host of a rollout drains', [], READY, [SERVING, { ...SERVING, record: 'draining', retiring: true }], false],
  ['a host is drained and stopped', [], READY, [SERVING, { ...COMING, runner: 'absent' }], false],
] as const)('the next reconcile of aip dev comes soon or not: %s', (_, steps, conditions, replicas, soon) => {
  expect(isUnderWay({ steps: [...steps] }, conditions, replicas)).toBe(soon);
});

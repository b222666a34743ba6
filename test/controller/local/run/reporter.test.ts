import { beforeEach, expect, test } from 'vitest';
import type { ReconcileFailure } from '#controller/cluster/instance/status.js';
import { openReporter, type Reporter } from '#controller/local/run/reporter.js';
import type { InstanceOutcome } from '#controller/local/state/instance-outcome.js';
import type { DevEvent } from '#controller/local/state/published.js';

const FAILED: ReconcileFailure = {
  reason: 'CapabilityConflict',
  message: 'cap:shop:say has another contract; the instance other has it: give it another id',
  stalled: true,
  passing: false,
  steps: ['admit-version'],
};

let notes: string[];
let events: Omit<DevEvent, 'at' | 'count'>[];
let reporter: Reporter;
beforeEach(() => {
  notes = [];
  events = [];
  reporter = openReporter({
    publisher: { event: (event) => events.push(event), publish: () => undefined, flush: async () => undefined },
    onNote: (text) => notes.push(text),
    noteSteps: () => true,
  });
});

const outcomes = (type: string, status: 'True' | 'False', reason: string): ReadonlyMap<string, InstanceOutcome> =>
  new Map([['default/shop', { conditions: [{ type, status, reason, message: 'why' }] } as unknown as InstanceOutcome]]);

test('a step that fails again and again is noted once, with its remedy, and counted as an event each time', () => {
  for (let n = 0; n < 38; n += 1) reporter.failed('default/shop', FAILED);
  expect(notes).toEqual([`shop: CapabilityConflict: ${FAILED.message}`]);
  expect(events).toHaveLength(38);
});

test('another failure, and the same one after a step that worked, are noted', () => {
  reporter.failed('default/shop', FAILED);
  reporter.failed('default/shop', { ...FAILED, message: 'another' });
  reporter.step('default/shop', { reason: 'Started', message: 'Starting shop-0' });
  reporter.failed('default/shop', { ...FAILED, message: 'another' });
  reporter.failed('default/other', FAILED);
  expect(notes.map((note) => note.slice(0, 32))).toEqual([
    'shop: CapabilityConflict: cap:sh',
    'shop: CapabilityConflict: anothe',
    'shop: Starting shop-0',
    'shop: CapabilityConflict: anothe',
    'other: CapabilityConflict: cap:s',
  ]);
});

test('what is wrong with an instance is noted once while it stays, and its end too', () => {
  const wrong = outcomes('Admitted', 'False', 'DescribeFailed');
  for (let n = 0; n < 5; n += 1) reporter.reconciled(wrong);
  expect(notes).toEqual(['shop: DescribeFailed: why']);
  for (let n = 0; n < 5; n += 1) reporter.reconciled(outcomes('Ready', 'True', 'ReplicasReady'));
  expect(notes).toEqual(['shop: DescribeFailed: why', 'shop: ready']);
  reporter.reconciled(wrong);
  expect(notes).toHaveLength(3);
});

test('a failure that the conditions repeat is not noted a second time', () => {
  reporter.failed('default/shop', { ...FAILED, reason: 'RegistryRefused', message: 'why' });
  reporter.reconciled(outcomes('Stalled', 'True', 'RegistryRefused'));
  expect(notes).toEqual(['shop: RegistryRefused: why']);
});

import { beforeEach, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeForbidden, KubeUnavailable } from '#controller/kube/client/errors.js';
import type { KubeObject } from '#controller/kube/kube.js';
import { eventOf, type Happening, type KubeEvent } from '#controller/kube/record/event-record.js';
import { type EventRecorder, openEventRecorder } from '#controller/kube/record/events.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { createMemoryKube, type MemoryKube } from './support/memory-kube.ts';

const log = openLogger({ component: 'test', level: 'silent' });
const START = Date.UTC(2026, 0, 2, 3, 0, 0);
const instance: KubeObject = {
  apiVersion: KINDS.connectorInstance.apiVersion,
  kind: 'ConnectorInstance',
  metadata: { name: 'support', namespace: 'acme', uid: 'u-1', resourceVersion: '7' },
};
const drained: Happening = { type: 'Normal', reason: 'Drained', action: 'Drain', note: 'replica 0 is drained' };
let kube: MemoryKube;
let now: number;
let recorder: EventRecorder;
beforeEach(() => {
  kube = createMemoryKube();
  now = START;
  recorder = open();
});
const open = (): EventRecorder =>
  openEventRecorder({ kube, controller: 'fleet.aip.dev/controller', instance: 'controller-0', log, clock: () => now });
const events = (): KubeEvent[] => kube.all<KubeEvent>(KINDS.event);

test('an event says what happened to which object, and who says so', async () => {
  recorder.record(instance, { ...drained, related: { ...instance, kind: 'Pod' } });
  await recorder.flush();
  expect(events()).toEqual([
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: expect.objectContaining({ name: expect.stringMatching(/^support\.[0-9a-f]{16}$/), namespace: 'acme' }),
      eventTime: '2026-01-02T03:00:00.000000Z',
      reportingController: 'fleet.aip.dev/controller',
      reportingInstance: 'controller-0',
      ...drained,
      regarding: expect.objectContaining({ kind: 'ConnectorInstance', name: 'support', uid: 'u-1', namespace: 'acme' }),
      related: expect.objectContaining({ kind: 'Pod', name: 'support' }),
    },
  ]);
});

test('what happens again within ten minutes is counted in one event', async () => {
  recorder.record(instance, drained);
  await recorder.flush();
  for (let i = 0; i < 3; i += 1) {
    now += 540_000;
    recorder.record(instance, drained);
    await recorder.flush();
  }
  expect(events()).toHaveLength(1);
  expect(events()[0]?.series).toEqual({ count: 4, lastObservedTime: '2026-01-02T03:27:00.000000Z' });
  now += 600_000;
  recorder.record(instance, drained);
  await recorder.flush();
  expect(events()).toHaveLength(2);
});

test('what happens often while a write is under way costs one more write', async () => {
  for (let i = 0; i < 20; i += 1) recorder.record(instance, drained);
  await recorder.flush();
  expect(events()[0]?.series?.count).toBe(20);
  expect(kube.counts).toEqual({ create: 1, merge: 1 });
});

test('another reason, message or object is another event', async () => {
  recorder.record(instance, drained);
  recorder.record(instance, { ...drained, reason: 'Other' });
  recorder.record(instance, { ...drained, note: 'other' });
  recorder.record({ ...instance, metadata: { ...instance.metadata, uid: 'u-2' } }, drained);
  await recorder.flush();
  expect(new Set(events().map(({ metadata }) => metadata.name)).size).toBe(4);
});

test('a process that restarts continues the series of the one before', async () => {
  recorder.record(instance, drained);
  recorder.record(instance, drained);
  await recorder.flush();
  now += 60_000;
  recorder = open();
  recorder.record(instance, drained);
  await recorder.flush();
  expect(events()).toHaveLength(1);
  expect(events()[0]?.series?.count).toBe(3);
});

test('a series whose event the server has dropped begins again', async () => {
  recorder.record(instance, drained);
  await recorder.flush();
  kube.remove(KINDS.event, (events()[0] as KubeEvent).metadata);
  now += 1000;
  recorder.record(instance, drained);
  await recorder.flush();
  expect(events()).toMatchObject([{ eventTime: '2026-01-02T03:00:01.000000Z' }]);
  expect(events()[0]).not.toHaveProperty('series');
});

test('no more than 25 events at once are about one object; others are not held up', async () => {
  for (let i = 0; i < 40; i += 1) recorder.record(instance, { ...drained, note: `number ${i}` });
  recorder.record({ ...instance, metadata: { name: 'other', namespace: 'acme', uid: 'u-2' } }, drained);
  await recorder.flush();
  expect(events().filter(({ regarding }) => regarding.uid === 'u-1')).toHaveLength(25);
  expect(events().filter(({ regarding }) => regarding.uid === 'u-2')).toHaveLength(1);
});

test('a server that fails is asked again, one that refuses is not, and the recorder throws neither', async () => {
  let failures = 2;
  kube.before = () => {
    failures -= 1;
    if (failures >= 0) throw new KubeUnavailable(503, 'Down', 'down');
  };
  recorder.record(instance, drained);
  await recorder.flush();
  expect(events()).toHaveLength(1);
  kube.before = () => {
    throw new KubeForbidden(403, 'Forbidden', 'the namespace is being deleted');
  };
  recorder.record(instance, { ...drained, note: 'other' });
  await recorder.flush();
  expect(kube.counts.create).toBe(4);
  kube.before = () => undefined;
  recorder.record(instance, { ...drained, note: 'third' });
  await recorder.flush();
  expect(events()).toHaveLength(2);
});

test('a note is cut at 1024 bytes, at the border of a character', () => {
  const noteOf = (note: string): string =>
    eventOf(instance, { ...drained, note }, { controller: 'c/c', instance: 'i', now }).note;
  expect(noteOf('a'.repeat(1024))).toBe('a'.repeat(1024));
  expect(noteOf('a'.repeat(1025))).toBe(`${'a'.repeat(1021)}…`);
  for (const lead of ['', 'a', 'ab', 'abc']) {
    const cut = noteOf(lead + '🚢'.repeat(300));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(1018);
    expect(cut).toMatch(/^[abc]*(🚢)+…$/u);
  }
});

test('names are names of objects, however long that of the object is', () => {
  const of = (name: string): KubeEvent =>
    eventOf({ ...instance, metadata: { name } }, drained, { controller: 'c/c', instance: 'i', now });
  expect(of('n'.repeat(253)).metadata.name).toHaveLength(253);
  expect(of(`${'n'.repeat(233)}-.-${'n'.repeat(17)}`).metadata.name).toMatch(/^n{233}\.[0-9a-f]{16}$/);
  expect(of('n').metadata.namespace).toBe('default');
});

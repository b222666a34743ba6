import { expect, test } from 'vitest';
import { ANNOTATIONS } from '#controller/api/group.js';
import { configurationDigest } from '#controller/api/names.js';
import { annotationsPatch, instanceAnnotations } from '#controller/cluster/instance/annotations.js';
import { instanceLike } from '../support.ts';

const digest = configurationDigest(instanceLike());
const noted = (revision: string, configDigest = digest) => ({
  annotations: {
    [ANNOTATIONS.configRevision]: revision,
    [ANNOTATIONS.configDigest]: configDigest,
    [ANNOTATIONS.release]: 'aip/aip',
  },
});

test.each([
  ['new', {}, 0, 1],
  ['unchanged', noted('4'), 4, 4],
  ['changed', noted('4', 'sha256:other'), 4, 5],
  ['behind the registry, as after a restored backup', noted('4'), 7, 8],
  ['of which the notes were taken off', {}, 7, 8],
  ['with a note that is no number', noted('many'), 0, 1],
  ['with a note below the first revision', noted('0'), 0, 1],
  ['ahead of the registry', noted('9'), 7, 9],
] as const)('the configuration revision of an instance that is %s', (_, metadata, registry, revision) => {
  expect(instanceAnnotations(instanceLike({}, metadata), registry)).toEqual({
    configRevision: revision,
    configDigest: digest,
  });
});

test('another configuration has another digest, another number of replicas has not', () => {
  expect(instanceAnnotations(instanceLike({ config: { greeting: 'hi' } })).configDigest).not.toBe(digest);
  expect(instanceAnnotations(instanceLike({ replicas: 7, capacity: 3 })).configDigest).toBe(digest);
});

test('what is noted is not written again, and the finalizers of others stay', () => {
  const marks = { configRevision: 1, configDigest: digest };
  const done = instanceLike({}, { ...noted('1'), finalizers: ['fleet.aip.dev/fleet'] });
  expect(annotationsPatch(done, marks, 'aip/aip')).toBeUndefined();
  const others = instanceLike({}, { ...noted('1'), finalizers: ['example.com/other'], resourceVersion: '5' });
  expect(annotationsPatch(others, marks, 'aip/aip')).toMatchObject({
    metadata: { resourceVersion: '5', finalizers: ['example.com/other', 'fleet.aip.dev/fleet'] },
  });
  expect(annotationsPatch(done, { ...marks, configRevision: 2 }, 'aip/aip')).toMatchObject({
    metadata: { annotations: { [ANNOTATIONS.configRevision]: '2' } },
  });
});

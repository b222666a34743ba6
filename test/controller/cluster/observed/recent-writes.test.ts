import { expect, test } from 'vitest';
import { recentWrites } from '#controller/cluster/observed/recent-writes.js';
import type { KubeObject } from '#controller/kube/kube.js';

const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: `uid-${name}`, resourceVersion },
});
const all = () => true;

test('of what is known and what was written the later one counts', () => {
  const writes = recentWrites();
  writes.wrote(object('a', '10'));
  expect(writes.latest(object('a', '9')).metadata.resourceVersion).toBe('10');
  expect(writes.latest(object('a', '11')).metadata.resourceVersion).toBe('11');
  expect(writes.latest(object('b', '1')).metadata.resourceVersion).toBe('1');
});

test('what was made and is not known yet counts until it is seen', () => {
  const writes = recentWrites();
  writes.wrote(object('a', '10'));
  writes.wrote(object('b', '11'));
  expect(writes.unseen([], all).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(writes.unseen([object('a', '9')], all).map(({ metadata }) => metadata.name)).toEqual(['b']);
  expect(writes.unseen([], ({ metadata }) => metadata.name === 'a')).toHaveLength(1);
  writes.seen(object('a', '9'));
  expect(writes.unseen([], all)).toHaveLength(2);
  writes.seen(object('a', '10'));
  writes.seen(object('b', '12'));
  expect(writes.unseen([], all)).toEqual([]);
});

test('what is known to be gone does not come back, even when the copy never saw its last version', () => {
  const writes = recentWrites();
  writes.wrote(object('a', '10'));
  writes.gone(object('a', '7'));
  expect(writes.unseen([], all)).toEqual([]);
});

test('what the copy never shows, as it was gone before it could, is forgotten after a while', () => {
  let now = 0;
  const writes = recentWrites(() => now);
  writes.wrote(object('a', '10'));
  now = 150_000;
  expect(writes.unseen([], all)).toHaveLength(1);
  now = 150_001;
  expect(writes.unseen([], all)).toEqual([]);
});

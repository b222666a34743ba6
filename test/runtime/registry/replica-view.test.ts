import { expect, test } from 'vitest';
import type { Queryable } from '#runtime/postgres/pool.js';
import { replicaView } from '#runtime/registry/routes/replica-view.js';

const row = { id: 'crepl_1', instanceId: 'cinst_1', versionId: 'cver_1', region: 'r', zone: 'z', capacityClass: 'c' };

test('reservations that are not written yet count also after the replicas are read again in between', async () => {
  let now = 1000;
  let stored = 0;
  const db = { query: async () => ({ rows: [{ ...row, capacity: 64, active: stored }], rowCount: 1 }) } as unknown;
  const view = replicaView(db as Queryable, () => now);
  const active = async () => (await view.of(['cinst_1']))[0]?.active;
  expect(await active()).toBe(0);
  for (let n = 0; n < 5; n += 1) view.reserve('cinst_1', 'crepl_1');
  now += 200;
  expect(await active()).toBe(5);
  for (let n = 0; n < 4; n += 1) view.reserved('cinst_1', 'crepl_1', true);
  view.reserved('cinst_1', 'crepl_1', false);
  expect(await active()).toBe(4);
  stored = 4;
  now += 200;
  expect(await active()).toBe(4);
  view.release('cinst_1', 'crepl_1');
  expect(await active()).toBe(3);
});

/** A view over a database whose answers are held, each until it is given or refused. */
function heldView() {
  const reads: (PromiseWithResolvers<unknown> & { of: unknown })[] = [];
  const query = (statement: { values: unknown[] }) => {
    const held = { ...Promise.withResolvers<unknown>(), of: statement.values[0] };
    reads.push(held);
    return held.promise;
  };
  const answer = (at: number, active: number, instanceId = 'cinst_1'): void =>
    reads[at]?.resolve({ rows: [{ ...row, instanceId, capacity: 64, active }], rowCount: 1 });
  return { view: replicaView({ query } as unknown as Queryable, () => 1000), reads, answer };
}

test('replicas are read once for all who need them while the read is under way', async () => {
  const { view, reads, answer } = heldView();
  const asked = [view.of(['cinst_1']), view.of(['cinst_1']), view.of(['cinst_2', 'cinst_1'])];
  expect(reads.map((read) => read.of)).toEqual([['cinst_1'], ['cinst_2']]);
  answer(0, 7);
  answer(1, 3, 'cinst_2');
  const actives = (await Promise.all(asked)).map((replicas) => replicas.map(({ active }) => active));
  expect(actives).toEqual([[7], [7], [3, 7]]);
  expect((await view.of(['cinst_1', 'cinst_2'])).length).toBe(2);
  expect(reads.length).toBe(2);
});

test('who needs replicas after they became stale does not wait for a read from before', async () => {
  const { view, reads, answer } = heldView();
  const before = view.of(['cinst_1']);
  view.stale(['cinst_1']);
  const after = view.of(['cinst_1']);
  expect(reads.length).toBe(2);
  answer(0, 1);
  await before;
  answer(1, 2);
  expect((await after)[0]?.active).toBe(2);
});

test('a failed read fails all who wait for it, and the next one reads again', async () => {
  const { view, reads, answer } = heldView();
  const asked = [view.of(['cinst_1']), view.of(['cinst_1'])];
  reads[0]?.reject(new RangeError('away'));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = view.of(['cinst_1']);
  answer(1, 4);
  expect((await next)[0]?.active).toBe(4);
});

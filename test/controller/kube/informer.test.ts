import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { type Informer, type InformerOptions, startInformer } from '#controller/kube/cache/informer.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../support/until.ts';
import { type FakeApi, type FakeObject, type Fault, startFakeApi } from './support/fake-api.ts';

const log = openLogger({ component: 'test', level: 'silent' });
const QUICK = { firstBackoffMs: 1, maxBackoffMs: 20 };
let api: FakeApi;
let kube: OpenKube;
let informer: Informer<FakeObject> | undefined;
/** What a listener knows, from what it was reported alone; and what it was reported. */
let picture: Map<string, string>;
let told: string[];

beforeEach(async () => {
  api = await startFakeApi();
  kube = await openKube({ kubeconfig: api.kubeconfig }, { timeoutMs: 2000 });
  picture = new Map();
  told = [];
});
afterEach(async () => {
  informer?.stop();
  await kube.close();
  api.child.kill('SIGKILL');
});

function follow(options: Partial<InformerOptions<FakeObject>> = {}): Informer<FakeObject> {
  const started = startInformer<FakeObject>({
    kube,
    kind: KINDS.configMap,
    namespaces: ['default'],
    log,
    timing: QUICK,
    ...options,
  });
  started.onChange(({ name }, before, after) => {
    told.push(`${before ? (after ? '~' : '-') : '+'}${name}=${(after ?? before)?.data.n}`);
    if (after) picture.set(name, after.data.n ?? '');
    else picture.delete(name);
  });
  informer = started;
  return started;
}
const seen = async (kind: string): Promise<number> =>
  (await api.look()).seen.filter((each) => each.kind === kind).length;
const becomes = (wanted: Record<string, string>): Promise<unknown> =>
  until(`listeners know ${JSON.stringify(wanted)}, not ${JSON.stringify([...picture])}`, () => {
    expect(Object.fromEntries(picture)).toEqual(wanted);
    const copy = informer?.list().map((object) => [object.metadata.name, object.data.n]) ?? [];
    expect(Object.fromEntries(copy)).toEqual(wanted);
    return true;
  });

test('it lists, and then receives what is made, changed and deleted', async () => {
  await api.put('a', { n: '1' });
  const { synced, get, healthy } = follow();
  expect(healthy()).toBe(false);
  await synced;
  expect(healthy()).toBe(true);
  expect(get({ namespace: 'default', name: 'a' })?.metadata).not.toHaveProperty('managedFields');
  await api.put('b', { n: '1' });
  await api.put('a', { n: '2' });
  await api.remove('b');
  await becomes({ a: '2' });
  await until('everything was told', () => told.length === 4);
  expect(told).toEqual(['+a=1', '+b=1', '~a=2', '-b=1']);
  expect(await seen('read')).toBe(1);
});

test('a listener that comes later receives what is there; one that left receives nothing; one that throws harms no other', async () => {
  await api.put('a', { n: '1' });
  const { synced, onChange } = follow();
  await synced;
  const late: string[] = [];
  const leave = onChange(({ name }) => {
    late.push(name);
    throw new Error('a fault of the listener');
  });
  expect(late).toEqual(['a']);
  await api.put('b', { n: '1' });
  await becomes({ a: '1', b: '1' });
  expect(late).toEqual(['a', 'b']);
  leave();
  await api.put('c', { n: '1' });
  await becomes({ a: '1', b: '1', c: '1' });
  expect(late).toEqual(['a', 'b']);
});

test.each(['reset', 'cut', 'nonsense'] as const)(
  'a watch that breaks (%s) continues from the last version, without a new list',
  async (fault) => {
    await api.put('a', { n: '1' });
    await api.fault({ on: 'watch', do: fault });
    await api.fault({ on: 'watch', do: fault });
    await follow().synced;
    await until('it watches', async () => (await api.look()).watchers === 1);
    await api.put('b', { n: '1' });
    await api.put('b', { n: '2' });
    await api.remove('a');
    await becomes({ b: '2' });
    expect((await api.look()).faults).toBe(0);
    expect(await seen('watch')).toBeGreaterThanOrEqual(3);
    expect(await seen('read')).toBe(1);
  },
);

test('a watch that falls silent is left, and the list reports what it missed', async () => {
  await api.put('a', { n: '1' });
  await api.fault({ on: 'watch', do: 'silent' });
  await follow({ timing: { ...QUICK, idleMs: 100 } }).synced;
  await until('it watches', async () => (await seen('watch')) === 1);
  await api.put('a', { n: '2' }, true);
  await api.put('b', { n: '1' });
  await becomes({ a: '2', b: '1' });
  expect(await seen('read')).toBeGreaterThan(1);
});

test('a version that is gone leads to a new list, which reports deletions, and nothing that stayed the same', async () => {
  for (const name of ['a', 'b', 'c']) await api.put(name, { n: '1' });
  await api.fault({ on: 'watch', do: 'gone' });
  await api.fault({ on: 'read', do: 'hold' });
  const { synced } = follow();
  await until('the list waits', async () => (await api.look()).held === 1);
  // The second list waits too, so that the changes fall between the two.
  await api.fault({ on: 'read', do: 'hold' });
  await api.release();
  await synced;
  await until('the second list waits', async () => (await api.look()).held === 1);
  await api.remove('a', true);
  await api.put('b', { n: '2' }, true);
  await api.release();
  await becomes({ b: '2', c: '1' });
  expect(told).toEqual(['+a=1', '+b=1', '+c=1', '-a=1', '~b=2']);
});

test('a watch refused because its version is gone leads to a new list', async () => {
  await api.put('a', { n: '1' });
  await api.fault({ on: 'read', do: 'hold' });
  follow();
  await until('the list waits', async () => (await api.look()).held === 1);
  await api.fault({ on: 'watch', status: 410 });
  await api.release();
  await becomes({ a: '1' });
  await until(
    'it listed again and watches',
    async () => (await seen('read')) === 2 && (await api.look()).watchers === 1,
  );
  await api.put('b', { n: '1' });
  await becomes({ a: '1', b: '1' });
});

test('refusals and faults of the server delay it and no more', async () => {
  await api.put('a', { n: '1' });
  for (const status of [500, 500, 429, 503, 403]) await api.fault({ on: 'read', status, retryAfter: 0 });
  for (const status of [500, 429, 403]) await api.fault({ on: 'watch', status });
  await api.fault({ on: 'read', do: 'cut' });
  await api.fault({ on: 'read', do: 'reset' });
  await follow().synced;
  await until('all faults are over', async () => (await api.look()).faults === 0 && (await api.look()).watchers === 1);
  await api.put('b', { n: '1' });
  await becomes({ a: '1', b: '1' });
});

test('events sent twice, and older ones sent again, are reported once', async () => {
  await api.put('a', { n: '1' });
  await api.put('a', { n: '2' });
  await api.fault({ on: 'watch', do: 'twice' });
  await follow().synced;
  await until('it watches', async () => (await api.look()).watchers === 1);
  await api.put('a', { n: '3' });
  await api.put('b', { n: '1' });
  await api.remove('b');
  await api.put('c', { n: '1' });
  await until('the last was told', () => told.includes('+c=1'));
  expect(told).toEqual(['+a=2', '~a=3', '+b=1', '-b=1', '+c=1']);
});

test('everything is listed again from time to time, and nothing is reported when nothing was missed', async () => {
  await api.put('a', { n: '1' });
  await follow({ timing: { ...QUICK, relistMs: 50 } }).synced;
  await until('it listed often', async () => (await seen('read')) > 3);
  expect(told).toEqual(['+a=1']);
  await api.put('b', { n: '1' }, true);
  await becomes({ a: '1', b: '1' });
});

test('bookmarks move the version that a new watch begins from', async () => {
  await api.put('a', { n: '1' });
  await follow().synced;
  await until('it watches', async () => (await api.look()).watchers === 1);
  await api.put('other', { n: '1' }, true);
  await api.bookmark();
  await api.end();
  await until('it watches again', async () => (await seen('watch')) === 2);
  expect((await api.look()).seen.at(-1)?.query.resourceVersion).toBe('102');
  expect(told).toEqual(['+a=1']);
});

test('it is not healthy while the server says nothing', async () => {
  await api.put('a', { n: '1' });
  const { synced, healthy } = follow({ timing: { ...QUICK, idleMs: 100 } });
  await synced;
  expect(healthy()).toBe(true);
  api.child.kill('SIGSTOP');
  await until('it is not healthy', () => !healthy());
  api.child.kill('SIGCONT');
  await until('it is healthy again', healthy);
});

test('objects are found by label and by owner, also after they changed', async () => {
  const indexes = { n: (object: FakeObject) => (object.data.n ? [object.data.n] : []) };
  await api.put('a', { n: '1' });
  await api.put('b', { n: '1' });
  const { synced, byIndex } = follow({ indexes });
  await synced;
  const named = (key: string): string[] => byIndex('n', key).map(({ metadata }) => metadata.name);
  expect(named('1')).toEqual(['a', 'b']);
  await api.put('a', { n: '2' });
  await api.remove('b');
  await becomes({ a: '2' });
  expect(named('1')).toEqual([]);
  expect(named('2')).toEqual(['a']);
  expect(() => byIndex('unknown', '1')).toThrow(RangeError);
});

test('after stop nothing is reported', async () => {
  await api.put('a', { n: '1' });
  await api.fault({ on: 'read', do: 'hold' });
  const stopped = follow();
  await until('the list waits', async () => (await api.look()).held === 1);
  stopped.stop();
  await api.release();
  const { synced } = follow();
  await synced;
  expect(told).toEqual(['+a=1']);
  expect(stopped.list()).toEqual([]);
});

test('whatever goes wrong in whatever order, the copy and the listeners come to know what is', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const watchFault = fc.constantFrom<Fault>(
    ...(['reset', 'cut', 'silent', 'gone', 'nonsense', 'twice'] as const).map(
      (what) => ({ on: 'watch', do: what }) as const,
    ),
    ...[410, 429, 500].map((status) => ({ on: 'watch', status }) as const),
    ...(['reset', 'cut'] as const).map((what) => ({ on: 'read', do: what }) as const),
    { on: 'read', status: 500 },
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: name.map((at) => ({ do: 'put', at }) as const) },
    { weight: 3, arbitrary: name.map((at) => ({ do: 'remove', at }) as const) },
    { weight: 3, arbitrary: watchFault.map((fault) => ({ do: 'fault', fault }) as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom({ do: 'forget' } as const, { do: 'end' } as const, { do: 'bookmark' } as const),
    },
  );
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      picture.clear();
      const followed = follow({ timing: { firstBackoffMs: 1, maxBackoffMs: 5, idleMs: 60 } });
      const wanted = new Map(
        (await kube.list<FakeObject>(KINDS.configMap)).items.map((o) => [o.metadata.name, o.data.n ?? '']),
      );
      for (const each of steps) {
        count += 1;
        if (each.do === 'put') wanted.set(each.at, String(count));
        if (each.do === 'remove') wanted.delete(each.at);
        if (each.do === 'put') await api.put(each.at, { n: String(count) });
        else if (each.do === 'remove') await api.remove(each.at);
        else if (each.do === 'fault') await api.fault(each.fault);
        else await api[each.do]();
      }
      await becomes(Object.fromEntries(wanted));
      followed.stop();
      await api.forgive();
    }),
    { numRuns: 8 },
  );
});

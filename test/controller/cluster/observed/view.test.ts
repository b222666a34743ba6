import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { openView } from '#controller/cluster/observed/view.js';
import { KubeForbidden } from '#controller/kube/client/errors.js';
import type { Kube, KubeObject, ListOptions, WatchEvent } from '#controller/kube/kube.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { instanceLike, replicaLike } from '../support.ts';

const log = openLogger({ component: 'test', level: 'silent' });
let stop: () => void = () => undefined;
afterEach(() => stop());

/** A view over an API server that sends what the test gives it; and the keys that were reported as changed. */
function viewed() {
  const events = new Map<string, WatchEvent<KubeObject>[]>();
  const sending = new EventEmitter();
  let version = 100;
  const kube = {
    list: async () => ({ items: [], resourceVersion: '100' }),
    watch: async function* ({ kind }: { kind: string }, { signal }: { signal: AbortSignal }) {
      while (!signal.aborted) {
        const batch = (events.get(kind) ?? []).splice(0);
        if (batch.length > 0) yield* batch;
        else await once(sending, kind, { signal }).catch(() => undefined);
      }
    },
  } as unknown as Kube;
  const reported: string[] = [];
  const view = openView({
    kube,
    releaseId: 'aip-system/aip',
    namespaces: 'all',
    log,
    changed: (key) => void reported.push(key),
    childChanged: () => false,
    hooks: () => ({}),
  });
  stop = view.stop;
  /** Sends one object and returns whether that was reported, once the view has it. */
  const sent = async (type: WatchEvent<KubeObject>['type'], object: KubeObject): Promise<boolean> => {
    version += 2;
    const at = String(version);
    const { kind } = object;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: at } };
    const before = reported.length;
    // The mark comes after it, in the same watch.
    const mark = {
      ...last,
      metadata: { ...last.metadata, name: `mark-${at}`, uid: at, resourceVersion: `${version + 1}` },
    };
    events.set(kind, [
      { type, object: structuredClone(last) },
      { type: 'ADDED', object: mark },
    ]);
    sending.emit(kind);
    const isThere = () =>
      kind === 'ConnectorInstance'
        ? view.instance(`acme/mark-${at}`) !== undefined
        : view.replicas().some(({ metadata }) => metadata.name === `mark-${at}`);
    await until('the view has it', isThere);
    const keys = reported.slice(before);
    return kind === 'ConnectorInstance' ? keys.includes('acme/demo') : keys.length > 1;
  };
  return { view, sent };
}

const READY = { type: 'Ready', status: 'True', reason: 'ReplicasReady', message: '' };
const withStatus = <T extends KubeObject>(object: T, conditions: object[], more: object = {}): T =>
  ({ ...object, status: { conditions, ...more } }) as T;

test('an instance is reported when it comes, changes or goes, and not when its own status does', async () => {
  const { sent } = viewed();
  const demo = instanceLike();
  expect(await sent('ADDED', demo)).toBe(true);
  expect(await sent('MODIFIED', withStatus(demo, [READY]))).toBe(false);
  expect(await sent('MODIFIED', withStatus(demo, [{ ...READY, message: 'another' }], { replicas: 2 }))).toBe(false);
  for (const change of [
    { generation: 4 },
    { labels: { team: 'a' } },
    { annotations: { note: 'a' } },
    { finalizers: ['a.test/b'] },
    { deletionTimestamp: '2026-01-01T00:00:00Z' },
    { uid: 'another' },
  ]) {
    const changed = { ...demo, metadata: { ...demo.metadata, ...change } };
    expect([Object.keys(change), await sent('MODIFIED', changed)]).toEqual([Object.keys(change), true]);
    expect(await sent('MODIFIED', demo)).toBe(true);
  }
  expect(await sent('DELETED', demo)).toBe(true);
});

test('an instance is reported when another writer changes a condition of its own there', async () => {
  const { sent } = viewed();
  const demo = instanceLike();
  const other = { type: 'OwnedElsewhere', status: 'True', reason: 'Other', message: '' };
  await sent('ADDED', withStatus(demo, [READY]));
  expect(await sent('MODIFIED', withStatus(demo, [READY, other]))).toBe(true);
  expect(await sent('MODIFIED', withStatus(demo, [{ ...READY, status: 'False' }, other]))).toBe(false);
  expect(await sent('MODIFIED', withStatus(demo, [READY]))).toBe(true);
});

test('the instance of a status that was written counts before the API server reports it', async () => {
  const { view, sent } = viewed();
  const demo = instanceLike();
  await sent('ADDED', demo);
  const written = withStatus({ ...demo, metadata: { ...demo.metadata, resourceVersion: '900' } }, [READY]);
  view.wrote(written);
  expect(view.instance('acme/demo')?.status?.conditions).toEqual([READY]);
});

test('a replica is reported when it comes, changes or goes, and not when its own status does', async () => {
  const { sent } = viewed();
  const replica = replicaLike();
  expect(await sent('ADDED', replica)).toBe(true);
  expect(await sent('MODIFIED', withStatus(replica, [READY]))).toBe(false);
  expect(await sent('MODIFIED', { ...replica, metadata: { ...replica.metadata, generation: 2 } })).toBe(true);
  expect(await sent('DELETED', replica)).toBe(true);
});

describe('a watched namespace whose rights are gone', () => {
  const REFUSED = new KubeForbidden(403, 'Forbidden', 'no rights in globex');
  /** A view of acme and globex, where nothing of globex may be read; `globex` is that namespace as the cluster has it. */
  function viewedWithout(globex: KubeObject | undefined) {
    const acme = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'acme', resourceVersion: '1' },
    } as KubeObject;
    const state = { globex, refusals: 0 };
    const kube = {
      list: async ({ kind }: { kind: string }, { namespace, fieldSelector }: ListOptions) => {
        if (namespace === 'globex') {
          state.refusals += 1;
          throw REFUSED;
        }
        const named = [acme, state.globex].filter((each) => fieldSelector === `metadata.name=${each?.metadata.name}`);
        return { items: kind === 'Namespace' ? named : [], resourceVersion: '100' };
      },
      watch: async function* (_: unknown, { signal }: { signal: AbortSignal }) {
        yield* [];
        await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
      },
    } as unknown as Kube;
    const view = openView({
      ...{ kube, releaseId: 'aip-system/aip', namespaces: ['acme', 'globex'], log },
      ...{ changed: () => undefined, childChanged: () => false, hooks: () => ({}) },
    });
    stop = view.stop;
    return { view, state };
  }
  const globex = (metadata: object): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'globex', resourceVersion: '2', ...metadata },
    }) as KubeObject;

  test.each([
    ['gone', undefined],
    ['being deleted', globex({ deletionTimestamp: '2026-11-28T20:00:00Z' })],
  ])('holds nothing up when it is %s', async (_, namespace) => {
    const { view } = viewedWithout(namespace);
    await view.synced;
    expect(view.healthy()).toBe(true);
    expect(view.instances()).toEqual([]);
  });

  test('holds everything up while it is there, since what it has is not known', async () => {
    const { view, state } = viewedWithout(globex({}));
    const synced = view.synced.then(() => 'synced');
    await until('its kinds were refused several times', () => state.refusals > 12);
    expect(view.healthy()).toBe(false);
    expect(await Promise.race([synced, Promise.resolve('waits')])).toBe('waits');
  });
});

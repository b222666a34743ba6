import { afterEach, expect, test } from 'vitest';
import { openView } from '#controller/cluster/observed/view.js';
import type { Kube, KubeObject, WatchEvent } from '#controller/kube/kube.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { instanceLike, replicaLike } from '../support.ts';

const log = openLogger({ component: 'test', level: 'silent' });
let stop: () => void = () => undefined;
afterEach(() => stop());

/** A view over an API server that sends what the test gives it; and the keys that were reported as changed. */
function viewed() {
  const events = new Map<string, WatchEvent<KubeObject>[]>();
  let version = 100;
  const kube = {
    list: async () => ({ items: [], resourceVersion: '100' }),
    watch: async function* ({ kind }: { kind: string }, { signal }: { signal: AbortSignal }) {
      while (!signal.aborted) {
        yield* (events.get(kind) ?? []).splice(0);
        await new Promise((done) => setTimeout(done, 5));
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

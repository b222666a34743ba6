import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { type Informer, startInformer } from '#controller/kube/cache/informer.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import { KubeGone, KubeUnavailable } from '#controller/kube/client/errors.js';
import type { KubeObject } from '#controller/kube/kube.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';

const log = openLogger({ component: 'test', level: 'silent' });
const { configMap } = KINDS;
type ConfigMap = KubeObject & { data?: Record<string, string> };
const map = (name: string, n: number): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, labels: { fleet: 'yes' } },
  data: { n: String(n) },
});

describeKube('an informer of a real API server', () => {
  let api: ApiServer;
  let kube: OpenKube;
  let informer: Informer<ConfigMap>;
  /** What a listener that began with nothing was reported. */
  const picture = new Map<string, string | undefined>();

  beforeAll(async () => {
    api = await startApiServer();
    kube = await openKube({ kubeconfig: api.kubeconfig });
    informer = startInformer<ConfigMap>({
      kube,
      kind: configMap,
      namespaces: 'all',
      labelSelector: 'fleet=yes',
      log,
      timing: { firstBackoffMs: 20, maxBackoffMs: 500 },
    });
    informer.onChange(({ name }, _, after) => {
      if (after) picture.set(name, after.data?.n);
      else picture.delete(name);
    });
    await informer.synced;
  });
  afterAll(async () => {
    informer?.stop();
    await kube?.close();
    await api?.stop();
  });

  /** Writes until the server takes it; the outcome of a write that broke off is unknown, so it is made again. */
  const insist = (work: () => Promise<unknown>): Promise<unknown> =>
    until('the server takes the write', async () => {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof KubeUnavailable) return false;
        throw error;
      }
    });
  const agrees = (): Promise<unknown> =>
    until('the copy and the listener agree with the server', async () => {
      const { items } = await kube.list<ConfigMap>(configMap, { labelSelector: 'fleet=yes' });
      const there = items.map(({ metadata, data }) => [metadata.name, data?.n] as const).sort();
      expect([...picture].sort()).toEqual(there);
      expect(
        informer
          .list()
          .map(({ metadata, data }) => [metadata.name, data?.n])
          .sort(),
      ).toEqual(there);
      return true;
    });

  test('of two namespaces followed one by one, each keeps its own; the end of one is reported object by object', async () => {
    for (const name of ['left', 'right', 'other']) await api.kubectl(['create', 'namespace', name]);
    const place = (namespace: string): ConfigMap => ({ ...map('same', 1), metadata: { namespace, name: 'same' } });
    for (const namespace of ['left', 'right', 'other']) await kube.create(configMap, place(namespace));
    const timing = { relistMs: 300 };
    const fieldSelector = 'metadata.name=same';
    const namespaces = ['left', 'right'];
    const copy = startInformer<ConfigMap>({ kube, kind: configMap, namespaces, fieldSelector, log, timing });
    const gone: string[] = [];
    copy.onChange(({ namespace = '' }, _, after) => {
      if (!after) gone.push(namespace);
    });
    await copy.synced;
    expect(copy.list().map(({ metadata }) => metadata.namespace)).toEqual(expect.arrayContaining(namespaces));
    expect(copy.list()).toHaveLength(2);
    await api.kubectl(['delete', 'namespace', 'left', '--wait=false']);
    // The controller that empties namespaces takes its time.
    await until('its object is gone', () => copy.list().length === 1, 120_000);
    expect(gone).toEqual(['left']);
    expect(copy.get({ namespace: 'right', name: 'same' })).toBeDefined();
    copy.stop();
  });

  test.each([
    ['killed', ['kube-apiserver']],
    ['killed with its database', ['etcd', 'kube-apiserver']],
  ] as const)('no change is lost while the server is %s', async (_, programs) => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => kube.apply(configMap, map(name, 0))));
    await agrees();
    const restarted = api.restart([...programs]);
    const writers = ['a', 'b', 'c', 'd', 'e', 'f'].map(async (name) => {
      for (let n = 1; n <= 20; n += 1) await insist(() => kube.apply(configMap, map(name, n)));
      if (name === 'c' || name === 'f') await insist(() => kube.delete(configMap, { namespace: 'default', name }));
    });
    await Promise.all([restarted, ...writers]);
    await agrees();
    expect(Object.fromEntries(picture)).toEqual({ a: '20', b: '20', d: '20', e: '20' });
    expect(informer.healthy()).toBe(true);
  });

  test('a version that the server has dropped is a KubeGone, after which the informer lists and continues', async () => {
    await kube.apply(configMap, map('a', 100));
    await agrees();
    const { resourceVersion } = await kube.list(configMap);
    // What nobody here follows: after the restart the server's history begins behind what the informer knows.
    await api.kubectl(['create', 'configmap', 'unrelated']);
    await api.restart(['kube-apiserver']);
    const signal = new AbortController().signal;
    const old = kube.watch(configMap, { resourceVersion, signal, idleMs: 30_000 })[Symbol.asyncIterator]();
    await expect(old.next()).rejects.toBeInstanceOf(KubeGone);
    await kube.delete(configMap, { namespace: 'default', name: 'a' });
    await agrees();
    expect(picture.has('a')).toBe(false);
  });

  test('a server that is frozen is noticed, and what it did meanwhile is learned when it continues', async () => {
    const hasty = await openKube({ kubeconfig: api.kubeconfig }, { timeoutMs: 1000 });
    const timing = { firstBackoffMs: 20, maxBackoffMs: 200, idleMs: 1000 };
    const copy = startInformer<ConfigMap>({ kube: hasty, kind: configMap, namespaces: ['default'], log, timing });
    await copy.synced;
    process.kill(api.pid('kube-apiserver'), 'SIGSTOP');
    try {
      await until('the copy is not healthy', () => !copy.healthy());
    } finally {
      process.kill(api.pid('kube-apiserver'), 'SIGCONT');
    }
    await insist(() => kube.apply(configMap, map('thawed', 1)));
    expect(
      await until('the copy has it and is healthy', () => {
        return copy.get({ namespace: 'default', name: 'thawed' }) !== undefined && copy.healthy();
      }),
    ).toBeTruthy();
    copy.stop();
    await hasty.close();
  });

  test('cluster-wide kinds are followed by name', async () => {
    const copy = startInformer<KubeObject>({ kube, kind: KINDS.namespace, namespaces: 'all', log });
    await copy.synced;
    expect(copy.get({ name: 'default' })?.metadata).not.toHaveProperty('managedFields');
    await api.kubectl(['annotate', 'namespace', 'default', 'fleet.aip.dev/tenants=acme']);
    await until(
      'the annotation is known',
      () => copy.get({ name: 'default' })?.metadata.annotations?.['fleet.aip.dev/tenants'],
    );
    copy.stop();
  });
});

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import {
  KubeConfigInvalid,
  KubeConflict,
  KubeForbidden,
  KubeGone,
  KubeNotFound,
  KubeUnavailable,
} from '#controller/kube/client/errors.js';
import { type FakeApi, type FakeObject, startFakeApi } from './support/fake-api.ts';

const { configMap } = KINDS;
const a = { namespace: 'default', name: 'a' };
let api: FakeApi;
let kube: OpenKube;
beforeEach(async () => {
  api = await startFakeApi();
  kube = await openKube({ kubeconfig: api.kubeconfig }, { timeoutMs: 2000 });
});
afterEach(async () => {
  await kube.close();
  api.child.kill('SIGKILL');
});
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it worked',
    (reason: unknown) => reason,
  );
interface Kubeconfig {
  clusters: [{ cluster: Record<string, unknown> }];
  users: [{ user: object }];
}
/** A copy of the kubeconfig with something else in it. */
async function kubeconfigWith(change: (config: Kubeconfig) => void): Promise<string> {
  const config = JSON.parse(await readFile(api.kubeconfig, 'utf8')) as Kubeconfig;
  change(config);
  const file = `${api.kubeconfig}.changed`;
  await writeFile(file, JSON.stringify(config));
  return file;
}
const requests = async (): Promise<number> => (await api.look()).seen.length;

test('the namespace is that of the context', () => {
  expect(kube.namespace).toBe('home');
});

test('an object that is not there is undefined; a path that is not there is a failure', async () => {
  await api.put('a', { n: '1' });
  expect(await kube.get<FakeObject>(configMap, a)).toMatchObject({ data: { n: '1' } });
  expect(await kube.get(configMap, { ...a, name: 'b' })).toBeUndefined();
  await api.fault({ on: 'read', status: 404, bare: true });
  expect(await failure(kube.get(configMap, a))).toBeInstanceOf(KubeNotFound);
});

test.each([429, 500, 503])('a read refused with %i is tried once more', async (status) => {
  await api.put('a');
  await api.fault({ on: 'read', status, retryAfter: 0 });
  expect(await kube.get(configMap, a)).toBeDefined();
  expect(await requests()).toBe(2);
});

test('a read that fails twice fails', async () => {
  await api.fault({ on: 'read', status: 500 });
  await api.fault({ on: 'read', status: 503, bare: true });
  const error = await failure(kube.list(configMap));
  expect(error).toBeInstanceOf(KubeUnavailable);
  expect(error).toMatchObject({ status: 503 });
  expect(await requests()).toBe(2);
});

test('a write is sent once, and says how long the server wants to be left alone', async () => {
  await api.fault({ on: 'write', status: 429, retryAfter: 7 });
  const error = await failure(kube.merge(configMap, a, {}));
  expect(error).toMatchObject({ name: 'KubeUnavailable', status: 429, retryAfterMs: 7000 });
  expect(await requests()).toBe(1);
});

test('an answer that is cut off or broken is read again', async () => {
  await api.put('a');
  await api.fault({ on: 'read', do: 'reset' });
  expect((await kube.list(configMap)).items).toHaveLength(1);
  await api.fault({ on: 'read', do: 'cut' });
  expect(await failure(kube.list(configMap))).toMatchObject({ name: 'KubeUnavailable', reason: 'MalformedAnswer' });
});

test('no answer is a failure in time', async () => {
  const hasty = await openKube({ kubeconfig: api.kubeconfig }, { timeoutMs: 100 });
  await api.fault({ on: 'read', do: 'hang' });
  await api.fault({ on: 'read', do: 'hang' });
  expect(await failure(hasty.get(configMap, a))).toMatchObject({
    name: 'KubeUnavailable',
    reason: 'Timeout',
    status: 0,
  });
  await hasty.close();
});

test('closing ends what is under way', async () => {
  await api.fault({ on: 'read', do: 'hang' });
  const call = failure(kube.get(configMap, a));
  await kube.close();
  expect(await call).toBeInstanceOf(KubeUnavailable);
});

test('a server that is gone is a failure without a status', async () => {
  const ended = new Promise((done) => api.child.once('exit', done));
  api.child.kill('SIGKILL');
  await ended;
  expect(await failure(kube.get(configMap, a))).toMatchObject({
    name: 'KubeUnavailable',
    reason: 'Unreachable',
    status: 0,
  });
});

test('a refused token is read again, once', async () => {
  await api.put('a');
  await kube.get(configMap, a);
  await writeFile(api.tokenFile, 'second');
  await api.fault({ on: 'read', status: 401 });
  expect(await kube.get(configMap, a)).toBeDefined();
  expect((await api.look()).seen.map(({ authorization }) => authorization)).toEqual([
    'Bearer first',
    'Bearer first',
    'Bearer second',
  ]);
  await api.fault({ on: 'read', status: 401 });
  await api.fault({ on: 'read', status: 401 });
  expect(await failure(kube.get(configMap, a))).toBeInstanceOf(KubeForbidden);
});

test('lists come in pages of 500; when a page is gone, everything is read at once', async () => {
  for (let i = 0; i < 501; i += 1) await api.put(`o${i}`);
  const list = await kube.list<FakeObject>(configMap, { namespace: 'default', labelSelector: 'app=x' });
  expect(list.items).toHaveLength(501);
  expect(list.resourceVersion).toBe('601');
  expect((await api.look()).seen.map(({ query }) => query)).toEqual([
    { limit: '500', labelSelector: 'app=x' },
    { limit: '500', continue: '500', labelSelector: 'app=x' },
  ]);
  await api.fault({ on: 'read', status: 410 });
  expect((await kube.list(configMap)).items).toHaveLength(501);
  expect((await api.look()).seen.at(-1)?.query).toEqual({});
});

test('items of a list say what they are', async () => {
  await api.put('a');
  expect((await kube.list(configMap)).items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
});

test('a deletion by uid is fine when another object has the name, and a conflict when it is the same one', async () => {
  await api.put('a');
  await api.fault({ on: 'write', status: 409 });
  await kube.delete(configMap, a, { uid: 'another' });
  await api.fault({ on: 'write', status: 409 });
  expect(await failure(kube.delete(configMap, a, { uid: 'uid-101' }))).toBeInstanceOf(KubeConflict);
});

test('a watch requests bookmarks, ends when stopped, and throws when its version is gone', async () => {
  await api.put('a');
  const stop = new AbortController();
  const options = { namespace: 'default', resourceVersion: '100', signal: stop.signal, idleMs: 60_000 };
  const names: string[] = [];
  for await (const { object } of kube.watch(configMap, options)) {
    names.push(object.metadata.name);
    stop.abort();
  }
  expect(names).toEqual(['a']);
  const query = (await api.look()).seen.at(-1)?.query;
  expect(query).toMatchObject({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '100' });

  const next = (): Promise<unknown> =>
    failure(
      kube
        .watch(configMap, { ...options, signal: new AbortController().signal })
        [Symbol.asyncIterator]()
        .next(),
    );
  await api.fault({ on: 'watch', do: 'gone' });
  expect(await next()).toBeInstanceOf(KubeGone);
  await api.fault({ on: 'watch', status: 500 });
  expect(await next()).toBeInstanceOf(KubeUnavailable);
  await api.forget();
  expect(await next()).toBeInstanceOf(KubeGone);
});

test('a watch that is left ends at the server too', async () => {
  await api.put('a');
  const signal = new AbortController().signal;
  for await (const _ of kube.watch(configMap, { resourceVersion: '100', signal, idleMs: 60_000 })) break;
  await expect.poll(async () => (await api.look()).watchers).toBe(0);
});

test('no watch waits for another to end, however many there are', async () => {
  const ending = new AbortController();
  const options = { resourceVersion: '100', signal: ending.signal, idleMs: 60_000 };
  const watches = Array.from({ length: 100 }, () => kube.watch(configMap, options)[Symbol.asyncIterator]().next());
  const ended = Promise.allSettled(watches);
  await expect.poll(async () => (await api.look()).watchers, { timeout: 5000 }).toBe(100);
  ending.abort();
  await ended;
});

test('a proxy of the kubeconfig is used, for requests and watches', async () => {
  await api.put('a');
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const there = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(client).pipe(there);
    });
    for (const socket of [client, there]) socket.on('error', () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const file = await kubeconfigWith((config) => {
    config.clusters[0].cluster['proxy-url'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  const behind = await openKube({ kubeconfig: file });
  expect(await behind.get(configMap, a)).toBeDefined();
  const signal = new AbortController().signal;
  const watch = behind.watch(configMap, { resourceVersion: '100', signal, idleMs: 60_000 })[Symbol.asyncIterator]();
  expect((await watch.next()).value).toMatchObject({ type: 'ADDED' });
  expect(new Set(tunnels)).toEqual(new Set([new URL(api.url).host]));
  expect(tunnels).toHaveLength(2);
  await behind.close();
  proxy.close();
});

test('a proxy that is no HTTP proxy is refused', async () => {
  const file = await kubeconfigWith((config) => {
    config.clusters[0].cluster['proxy-url'] = 'socks5://127.0.0.1:1080';
  });
  expect(await failure(openKube({ kubeconfig: file }))).toBeInstanceOf(KubeConfigInvalid);
});

test('a program may give the token', async () => {
  await api.put('a');
  const credential = { kind: 'ExecCredential', status: { token: 'of-a-program' } };
  const args = ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`];
  const file = await kubeconfigWith((config) => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args };
    config.users[0].user = { exec };
  });
  const other = await openKube({ kubeconfig: file });
  await other.get(configMap, a);
  expect((await api.look()).seen.at(-1)?.authorization).toBe('Bearer of-a-program');
  await other.close();
});

test('a configuration that leads nowhere is refused when it is opened', async () => {
  expect(await failure(openKube({ kubeconfig: `${api.kubeconfig}.none` }))).toBeInstanceOf(KubeConfigInvalid);
  expect(await failure(openKube({ kubeconfig: api.kubeconfig, context: 'none' }))).toBeInstanceOf(KubeConfigInvalid);
  expect(await failure(openKube({ inCluster: true, root: '/nowhere' }))).toBeInstanceOf(KubeConfigInvalid);
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import { KubeConflict, KubeForbidden, KubeInvalid, KubeNotFound } from '#controller/kube/client/errors.js';
import type { KubeObject } from '#controller/kube/kube.js';
import type { KubeEvent } from '#controller/kube/record/event-record.js';
import { openEventRecorder } from '#controller/kube/record/events.js';
import { removeFinalizer } from '#controller/kube/record/finalizer.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';
import { podCredentials } from '../support/service-account.ts';
import { BOAT, type Boat, boat, defineBoats } from './support/sample-kind.ts';

const { configMap, pod } = KINDS;
const log = openLogger({ component: 'test', level: 'silent' });
type ConfigMap = KubeObject & { data?: Record<string, string> };
const at = (name: string) => ({ namespace: 'default', name });
const map = (name: string, data: Record<string, string> = {}, more: object = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...at(name), ...more },
  data,
});
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it worked',
    (reason: unknown) => reason,
  );

describeKube('the client against a real API server', () => {
  let api: ApiServer;
  let kube: OpenKube;
  const opened: OpenKube[] = [];
  const open = async (...source: Parameters<typeof openKube>): Promise<OpenKube> => {
    const made = await openKube(...source);
    opened.push(made);
    return made;
  };

  beforeAll(async () => {
    api = await startApiServer();
    kube = await open({ kubeconfig: api.kubeconfig });
    await defineBoats(api);
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await api?.stop();
  });

  test('an apply leaves alone what others own, and takes what it says itself', async () => {
    await api.kubectl(['create', 'configmap', 'shared', '--from-literal=a=theirs', '--from-literal=b=theirs']);
    await api.kubectl(['label', 'configmap', 'shared', 'team=blue']);
    await kube.apply<ConfigMap>(configMap, map('shared', { a: 'ours', c: 'ours' }, { labels: { app: 'fleet' } }));
    let now = await kube.get<ConfigMap>(configMap, at('shared'));
    expect(now?.data).toEqual({ a: 'ours', b: 'theirs', c: 'ours' });
    expect(now?.metadata.labels).toEqual({ team: 'blue', app: 'fleet' });
    // What is applied no more is gone when it was ours alone.
    await kube.apply<ConfigMap>(configMap, map('shared', { a: 'ours' }));
    now = await kube.get<ConfigMap>(configMap, at('shared'));
    expect(now?.data).toEqual({ a: 'ours', b: 'theirs' });
    expect(now?.metadata.labels).toEqual({ team: 'blue' });
  });

  test('two field managers see each other as a conflict, and force decides', async () => {
    await kube.apply<ConfigMap>(configMap, map('contested', { a: 'ours' }));
    const theirs = JSON.stringify(map('contested', { a: 'theirs' }));
    const apply = ['apply', '--server-side', '--field-manager=somebody', '-f', '-'];
    expect(await failure(api.kubectl(apply, theirs))).toMatchObject({
      output: expect.stringContaining('aip-controller'),
    });
    await api.kubectl([...apply, '--force-conflicts'], theirs);
    expect((await kube.apply<ConfigMap>(configMap, map('contested', { a: 'ours' }))).data).toEqual({ a: 'ours' });
  });

  test('an apply that changes nothing makes no new version', async () => {
    const first = await kube.apply(configMap, map('still', { a: '1' }));
    const second = await kube.apply(configMap, map('still', { a: '1' }));
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    // An object that was read can be applied, though it says who owns what.
    const read = (await kube.get<ConfigMap>(configMap, at('still'))) as ConfigMap;
    expect(read.metadata).toHaveProperty('managedFields');
    await kube.apply(configMap, read);
  });

  test('a status is applied apart from the spec, and conditions of others stay', async () => {
    await kube.create(BOAT, boat('sloop', 2));
    await kube.apply(BOAT, { ...boat('sloop', 7), status: { phase: 'ignored' } });
    const foreign = { status: { conditions: [{ type: 'Foreign', status: 'True' }] } };
    const patch = ['patch', 'boat', 'sloop', '--subresource=status', '--type=merge', '--field-manager=other', '-p'];
    await api.kubectl([...patch, JSON.stringify(foreign)]);
    const ours = { ...boat('sloop', 0), status: { phase: 'afloat', conditions: [{ type: 'Ready', status: 'True' }] } };
    const { spec: _, ...statusOnly } = ours;
    const applied = await kube.apply<Boat>(BOAT, statusOnly as Boat, { status: true });
    expect(applied.spec.oars).toBe(7);
    expect(applied.status?.phase).toBe('afloat');
    expect(applied.status?.conditions?.map(({ type }) => type).sort()).toEqual(['Foreign', 'Ready']);
    expect(applied.metadata.generation).toBe(2);
  });

  test('failures are distinguished', async () => {
    await kube.create(configMap, map('once'));
    expect(await failure(kube.create(configMap, map('once')))).toMatchObject({
      name: 'KubeConflict',
      reason: 'AlreadyExists',
    });
    const old = (await kube.get<ConfigMap>(configMap, at('once'))) as ConfigMap;
    await kube.merge(configMap, at('once'), { data: { a: '1' } });
    expect(await failure(kube.replace(configMap, { ...old, data: { a: '2' } }))).toBeInstanceOf(KubeConflict);
    expect(await failure(kube.merge(configMap, at('none'), {}))).toBeInstanceOf(KubeNotFound);
    expect(await failure(kube.create(BOAT, boat('galley', 9)))).toBeInstanceOf(KubeInvalid);
    expect(await failure(kube.create(configMap, map('x', {}, { namespace: 'none' })))).toBeInstanceOf(KubeNotFound);
    expect(await failure(kube.list({ ...BOAT, plural: 'ships' }))).toBeInstanceOf(KubeNotFound);
    expect(await failure(kube.get({ ...BOAT, plural: 'ships' }, at('a')))).toBeInstanceOf(KubeNotFound);
    expect(await kube.get(configMap, at('none'))).toBeUndefined();
    const stranger = await open({ kubeconfig: await api.kubeconfigForUser('stranger') });
    expect(await failure(stranger.list(configMap))).toBeInstanceOf(KubeForbidden);
    expect(await failure(stranger.create(configMap, map('y')))).toBeInstanceOf(KubeForbidden);
  });

  test('a quota that is used up is a KubeForbidden', async () => {
    await api.kubectl(['create', 'namespace', 'tight']);
    await api.kubectl(['create', 'quota', 'none', '--hard=secrets=0', '--namespace=tight']);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'tight', name: 'a' } };
    const refused = until('the quota holds', async () => {
      const error = await failure(
        kube.create(KINDS.secret, { ...secret, metadata: { ...secret.metadata, name: `a${Date.now()}` } }),
      );
      return error instanceof KubeForbidden && error;
    });
    expect(await refused).toMatchObject({ status: 403 });
  });

  test('a deletion is of one object, and of one that is not there is fine', async () => {
    const first = await kube.create(configMap, map('reborn'));
    await kube.delete(configMap, at('reborn'), { uid: first.metadata.uid });
    await kube.delete(configMap, at('reborn'), { uid: first.metadata.uid });
    const second = await kube.create(configMap, map('reborn'));
    await kube.delete(configMap, at('reborn'), { uid: first.metadata.uid });
    expect((await kube.get(configMap, at('reborn')))?.metadata.uid).toBe(second.metadata.uid);
    await kube.delete(configMap, at('reborn'), { graceSeconds: 0, propagation: 'Foreground' });
    await until('it is gone', async () => (await kube.get(configMap, at('reborn'))) === undefined);
  });

  test('1200 objects come in pages, each once, and selectors choose among them', async () => {
    const names = Array.from({ length: 1200 }, (_, i) => `many-${i}`);
    await api.kubectl(['create', 'namespace', 'many']);
    for (let i = 0; i < names.length; i += 50) {
      const some = names.slice(i, i + 50);
      await Promise.all(
        some.map((name, j) =>
          kube.create(
            configMap,
            map(name, { n: name }, { namespace: 'many', labels: { odd: String((i + j) % 2 === 1) } }),
          ),
        ),
      );
    }
    const { items } = await kube.list<ConfigMap>(configMap, {
      namespace: 'many',
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
    });
    expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(new Set(names));
    expect(items).toHaveLength(1200);
    expect(items[700]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect((await kube.list(configMap, { namespace: 'many', labelSelector: 'odd=true' })).items).toHaveLength(600);
  });

  test('a watch reports what happens after a version', async () => {
    const { resourceVersion } = await kube.list(BOAT, { namespace: 'default' });
    const stop = new AbortController();
    const seen: string[] = [];
    const watch = kube.watch<Boat>(BOAT, {
      namespace: 'default',
      resourceVersion,
      signal: stop.signal,
      idleMs: 30_000,
    });
    await kube.create(BOAT, boat('cutter', 4));
    await kube.merge(BOAT, at('cutter'), { spec: { oars: 6 } });
    await kube.delete(BOAT, at('cutter'));
    for await (const { type, object } of watch) {
      if (type === 'BOOKMARK') continue;
      seen.push(`${type} ${object.metadata.name} ${object.spec.oars}`);
      if (type === 'DELETED') stop.abort();
    }
    expect(seen).toEqual(['ADDED cutter 4', 'MODIFIED cutter 6', 'DELETED cutter 6']);
  });

  test('the log of a container that never ran is a failure, not a text', async () => {
    const spec = { containers: [{ name: 'main', image: 'localhost/none:1' }] };
    await kube.create(pod, { apiVersion: 'v1', kind: 'Pod', metadata: at('idle'), spec } as KubeObject);
    expect(await failure(kube.podLog(at('idle'), { container: 'other', limitBytes: 10 }))).toBeInstanceOf(KubeInvalid);
    expect(await failure(kube.podLog(at('none'), { container: 'main', limitBytes: 10, tailLines: 1 }))).toBeInstanceOf(
      KubeNotFound,
    );
  });

  test('twenty writers of one object lose no change', async () => {
    await kube.create(configMap, map('counter', { n: '0' }));
    let conflicts = 0;
    const add = async (): Promise<void> => {
      for (;;) {
        const now = (await kube.get<ConfigMap>(configMap, at('counter'))) as ConfigMap;
        try {
          await kube.replace<ConfigMap>(configMap, { ...now, data: { n: String(Number(now.data?.n) + 1) } });
          return;
        } catch (error) {
          if (!(error instanceof KubeConflict)) throw error;
          conflicts += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, add));
    expect((await kube.get<ConfigMap>(configMap, at('counter')))?.data).toEqual({ n: '20' });
    expect(conflicts).toBeGreaterThan(0);
  });

  test('a finalizer holds a deletion, and is taken off while others write', async () => {
    const plain = map('held');
    const held = { ...plain, metadata: { ...plain.metadata, finalizers: ['fleet.aip.dev/test'] } };
    const made = await kube.create(configMap, held);
    await kube.merge(configMap, at('held'), { data: { touched: 'yes' } });
    await kube.delete(configMap, at('held'));
    const waiting = (await kube.get<ConfigMap>(configMap, at('held'))) as ConfigMap;
    expect(waiting.metadata).toMatchObject({
      finalizers: ['fleet.aip.dev/test'],
      deletionTimestamp: expect.any(String),
    });
    await Promise.all([
      kube.merge(configMap, at('held'), { data: { touched: 'again' } }),
      removeFinalizer(kube, configMap, made, 'fleet.aip.dev/test'),
    ]);
    expect(await kube.get(configMap, at('held'))).toBeUndefined();
  });

  test('events are taken, counted, and shown by kubectl', async () => {
    const about = await kube.create(BOAT, boat('ferry', 1));
    const options = { kube, controller: 'fleet.aip.dev/controller', instance: 'controller-0', log };
    const happening = { type: 'Warning', reason: 'Leaking', action: 'Sail', note: 'ü'.repeat(2000) } as const;
    for (let i = 0; i < 3; i += 1) {
      const recorder = openEventRecorder(options);
      recorder.record(about, { ...happening, related: about });
      recorder.record(about, { ...happening, related: about });
      await recorder.flush();
    }
    const { items } = await kube.list<KubeEvent>(KINDS.event, {
      namespace: 'default',
      fieldSelector: 'reason=Leaking',
    });
    expect(items).toMatchObject([{ series: { count: 6 }, regarding: { name: 'ferry', uid: about.metadata.uid } }]);
    expect(await api.kubectl(['describe', 'boat', 'ferry'])).toMatch(/Warning\s+Leaking\s/);
  });

  test('inside a cluster the token, the authority and the namespace come from files, and a new token is picked up', async () => {
    await api.kubectl(['create', 'serviceaccount', 'robot']);
    await api.kubectl([
      'create',
      'clusterrolebinding',
      'robot',
      '--clusterrole=view',
      '--serviceaccount=default:robot',
    ]);
    const { root, folder, environment } = await podCredentials(api, 'robot');
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const token = await readFile(join(folder, 'token'), 'utf8');
    await writeFile(join(folder, 'namespace'), 'robots\n');
    await writeFile(join(folder, 'token'), 'expired');
    const robot = await open({ inCluster: true, root });
    expect(robot.namespace).toBe('robots');
    expect(await failure(robot.list(configMap))).toMatchObject({ name: 'KubeForbidden', status: 401 });
    await writeFile(join(folder, 'token'), `${token}\n`);
    expect((await robot.list(configMap, { namespace: 'default' })).items.length).toBeGreaterThan(0);
    vi.unstubAllEnvs();
  });
});

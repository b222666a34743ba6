import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hostRole } from '#controller/fleet/host-database.js';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import {
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  namesOf,
  type Seen,
  seen,
  startKubeFleet,
} from './support/fleet.ts';

/** The garbage collector learns of a new kind only within half a minute. */
const GARBAGE_MS = 90_000;

describeKube('what is taken away', () => {
  let fleet: KubeFleet;
  const patch = (name: string, spec: object) =>
    fleet.kubectl(['patch', 'cinst', name, '--type=merge', '-p', JSON.stringify({ spec })]);
  const ready = (name: string, count: number, namespace = 'default'): Promise<Seen> =>
    seen(fleet, name, `${count} ready`, ({ status }) => status?.readyReplicas === count, namespace);
  const replicas = async (instance: string): Promise<string[]> =>
    (await namesOf(fleet, 'crep', { instance })).map((name) => name.split('/')[1] as string);
  const records = (instanceId: string | undefined) =>
    fleet.query<{ id: string }>('SELECT id FROM registry.replicas WHERE instance_id = $1', [instanceId]);
  const databases = async (...instances: Seen[]): Promise<number> => {
    const names = instances.map(({ metadata }) => hostRole(metadata.uid));
    const roles = await fleet.query('SELECT 1 FROM pg_roles WHERE rolname = ANY($1)', [names]);
    const schemas = await fleet.query('SELECT 1 FROM pg_namespace WHERE nspname = ANY($1)', [names]);
    return roles.length + schemas.length;
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    await fleet.controller();
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('a host that lost its key serves on, and another replica takes its place when it ends', async () => {
    await fleet.apply(demoInstance('key', { replicas: 1 }));
    await ready('key', 1);
    const [first] = (await replicas('key')) as [string];
    await fleet.kubectl(['delete', 'secret', `${first}-identity`]);
    expect(fleet.node.running()).toContain(first);
    await fleet.kubectl(['delete', 'pod', first]);
    await until('another replica serves', async () => {
      const now = await replicas('key');
      return now.length === 1 && now[0] !== first && fleet.node.running().includes(now[0] as string);
    });
    const [second] = await replicas('key');
    const kept = ['secret/key-database', `secret/${second}-identity`].sort().join(' ');
    await until(
      'only its key is left',
      async () => (await namesOf(fleet, 'secrets', { instance: 'key' })).join(' ') === kept,
    );
    expect((await eventsOf(fleet, 'key')).some((text) => text.startsWith('Warning IdentityLost: '))).toBe(true);
    await ready('key', 1);
  });

  test('the Secret of the database is made again for the next host that starts', async () => {
    const [host] = (await replicas('key')) as [string];
    await fleet.kubectl(['delete', 'secret', 'key-database']);
    await fleet.kubectl(['delete', 'pod', host]);
    await until('it is there', async () =>
      (await namesOf(fleet, 'secrets', { instance: 'key' })).includes('secret/key-database'),
    );
    await until('the host runs again', () => fleet.node.running().includes(host));
    expect(await replicas('key')).toContain(host);
  });

  test('what hosts are started with is made again for the next host that starts', async () => {
    const [host] = (await replicas('key')) as [string];
    const template = host.replace(/-\d+$/, '');
    await fleet.kubectl(['delete', 'configmap', template]);
    await fleet.kubectl(['delete', 'pod', host]);
    await until('it is there', async () =>
      (await namesOf(fleet, 'configmaps', { instance: 'key' })).includes(`configmap/${template}`),
    );
    await until('the host runs again', () => fleet.node.running().includes(host));
    expect(await replicas('key')).toContain(host);
  });

  test('a host of an earlier version that cannot be started again, since what it was made from is gone, is replaced', async () => {
    await fleet.apply(demoInstance('old', { replicas: 1 }));
    await ready('old', 1);
    const [host] = (await replicas('old')) as [string];
    fleet.neverReady.add('old');
    await patch('old', { capacity: 9 });
    await until('one of the new version is there', async () => (await replicas('old')).length === 2);
    await fleet.kubectl(['delete', 'configmap', host.replace(/-\d+$/, '')]);
    await fleet.kubectl(['delete', 'pod', host]);
    await until('it is gone', async () => !(await replicas('old')).includes(host));
    expect(await replicas('old')).toHaveLength(1);
    expect((await eventsOf(fleet, 'old')).some((text) => text.startsWith('Warning TemplateLost: '))).toBe(true);
    await fleet.kubectl(['delete', 'cinst', 'old']);
  });

  test('while an instance is suspended nothing of it is changed', async () => {
    const [host] = (await replicas('key')) as [string];
    await patch('key', { suspend: true, replicas: 3 });
    const isSuspended = (instance: Seen): boolean => condition(instance, 'Ready') === 'Unknown Suspended';
    await seen(fleet, 'key', 'suspended', isSuspended);
    await fleet.kubectl(['delete', 'pod', host]);
    const seenStopped = ({ status }: Seen): boolean => status?.readyReplicas === 0;
    await seen(fleet, 'key', 'its host is gone', seenStopped);
    expect(await replicas('key')).toEqual([host]);
    expect(await namesOf(fleet, 'pods', { instance: 'key' })).toEqual([]);
    await patch('key', { suspend: false });
    await ready('key', 3);
  });

  test('an instance whose hosts do not end goes when an annotation says so, with a warning', async () => {
    await fleet.apply(demoInstance('slow', {}));
    const { status } = await ready('slow', 2);
    fleet.stubborn.add('slow');
    await fleet.kubectl(['delete', 'cinst', 'slow', '--wait=false']);
    await until('its hosts are told to end', async () => {
      const pods = await fleet.kubectl(['get', 'pods', '-l', 'fleet.aip.dev/instance=slow', '-o', 'json']);
      const { items } = JSON.parse(pods) as { items: { metadata: { deletionTimestamp?: string } }[] };
      return items.length === 2 && items.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
    });
    const { metadata } = await fleet.json<Seen & { metadata: { finalizers: string[] } }>(['get', 'cinst', 'slow']);
    expect(metadata.finalizers).toEqual(['fleet.aip.dev/fleet']);
    await fleet.kubectl(['annotate', 'cinst', 'slow', 'fleet.aip.dev/force-delete=true']);
    await fleet.kubectl(['wait', '--for=delete', 'cinst/slow', '--timeout=30s']);
    expect(await records(status?.instanceId)).toEqual([]);
    expect((await eventsOf(fleet, 'slow')).some((text) => text.startsWith('Warning RemovalForced: '))).toBe(true);
    fleet.stubborn.delete('slow');
  });

  test('an instance that is made again at once under its name takes nothing over from the one before', async () => {
    await fleet.apply(demoInstance('again', { replicas: 1 }));
    const first = await ready('again', 1);
    await fleet.kubectl(['delete', 'cinst', 'again', '--timeout=30s']);
    await fleet.apply(demoInstance('again', { replicas: 1 }));
    const second = await ready('again', 1);
    expect(second.status?.instanceId).not.toBe(first.status?.instanceId);
    const owners = await fleet.kubectl([
      ...['get', 'secrets,services,pdb,crep', '-l', 'fleet.aip.dev/instance=again', '-o'],
      'jsonpath={range .items[*]}{.metadata.ownerReferences[0].kind}={.metadata.ownerReferences[0].uid} {end}',
    ]);
    const ofInstance = owners.split(' ').filter((owner) => owner.startsWith('ConnectorInstance='));
    expect(new Set(ofInstance)).toEqual(new Set([`ConnectorInstance=${second.metadata.uid}`]));
    expect(ofInstance).toHaveLength(4);
  });

  test('an instance whose finalizer somebody takes off leaves no replica behind', async () => {
    const { status } = await fleet.json<Seen>(['get', 'cinst', 'again']);
    fleet.stubborn.add('again');
    await fleet.kubectl(['delete', 'cinst', 'again', '--wait=false']);
    await fleet.kubectl(['patch', 'cinst', 'again', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    fleet.stubborn.delete('again');
    await until(
      'nothing is left',
      async () => (await namesOf(fleet, 'crep,pods,secrets', { instance: 'again' })).length === 0,
      GARBAGE_MS,
    );
    expect(await records(status?.instanceId)).toEqual([]);
  });

  test('a namespace that is deleted whole goes with every record, role and schema of its instances', async () => {
    await fleet.kubectl(['create', 'namespace', 'gone']);
    await fleet.apply(
      demoInstance('here', { deletionPolicy: 'Delete' }, 'gone'),
      demoInstance('there', { deletionPolicy: 'Delete', replicas: 1 }, 'gone'),
    );
    const here = await ready('here', 2, 'gone');
    const there = await ready('there', 1, 'gone');
    expect(await databases(here, there)).toBe(4);
    await fleet.kubectl(['delete', 'namespace', 'gone', '--timeout=50s']);
    const ids = [here, there].map(({ status }) => status?.instanceId);
    for (const id of ids) expect(await records(id)).toEqual([]);
    const enabled = await fleet.query('SELECT id FROM registry.instances WHERE id = ANY($1) AND enabled', [ids]);
    const bound = await fleet.query('SELECT 1 FROM registry.bindings WHERE instance_id = ANY($1) AND enabled', [ids]);
    expect([enabled, bound]).toEqual([[], []]);
    expect(await databases(here, there)).toBe(0);
  });
});

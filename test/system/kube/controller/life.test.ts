import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { condition, demoInstance, type KubeFleet, RUNTIME_IMAGE, seen, startKubeFleet } from './support/fleet.ts';

/** The garbage collector learns of a new kind only within half a minute. */
const GARBAGE_MS = 90_000;

describeKube('the life of a ConnectorInstance', () => {
  let fleet: KubeFleet;
  const ready = (name: string, count: number) =>
    seen(fleet, name, `${count} ready`, (instance) => instance.status?.readyReplicas === count);
  const replicas = async (name: string): Promise<string[]> =>
    (await fleet.kubectl(['get', 'crep', '-l', `fleet.aip.dev/instance=${name}`, '-o', 'name']))
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('/')[1] as string)
      .sort();

  beforeAll(async () => {
    fleet = await startKubeFleet();
    await fleet.controller();
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('is described, admitted, bound and gets its replicas', async () => {
    await fleet.apply(demoInstance('one'));
    const instance = await ready('one', 2);
    expect(condition(instance, 'Ready')).toBe('True ReplicasReady');
    expect(condition(instance, 'Admitted')).toBe('True VersionAdmitted');
    expect(instance.metadata.finalizers).toEqual(['fleet.aip.dev/fleet']);
    const pods = await fleet.json<{
      items: { metadata: { name: string }; spec: { containers: { image: string }[] } }[];
    }>(['get', 'pods', '-l', 'fleet.aip.dev/instance=one']);
    expect(pods.items.map(({ metadata }) => metadata.name).sort()).toEqual(await replicas('one'));
    expect(pods.items.map(({ spec }) => spec.containers[0]?.image)).toEqual([RUNTIME_IMAGE, RUNTIME_IMAGE]);
    const bound = await fleet.query<{ enabled: boolean }>(
      'SELECT enabled FROM registry.bindings WHERE instance_id = $1',
      [instance.status?.instanceId],
    );
    expect(bound.length).toBe(6);
    expect(await fleet.kubectl(['get', 'configmap', 'aip-trust', '-o', 'jsonpath={.data.gateway-dids}'])).toMatch(
      /^did:key:z6Mk\w+\n$/,
    );
  });

  test('at rest nothing is written', async () => {
    const versions = async () =>
      fleet.kubectl([
        'get',
        'cinst,crep,pods,secrets,configmaps',
        '-A',
        '-o',
        'jsonpath={range .items[*]}{.kind}/{.metadata.name}={.metadata.resourceVersion} {end}',
      ]);
    await seen(fleet, 'one', 'settled', (instance) => condition(instance, 'Reconciling') === undefined);
    const before = await versions();
    await fleet.kubectl(['annotate', 'cinst', 'one', 'example.com/touched=yes', '--overwrite']);
    await fleet.kubectl(['annotate', 'cinst', 'one', 'example.com/touched-', '--overwrite']);
    const touched = (text: string) => text.replace(/ConnectorInstance\/one=\d+/, '');
    expect(touched(await versions())).toBe(touched(before));
    expect(await fleet.kubectl(['get', 'cinst', 'one', '-o', 'jsonpath={.status.observedGeneration}'])).toBe('1');
  });

  test('is scaled, also through the scale subresource, and keeps no orphans', async () => {
    await fleet.kubectl(['scale', 'cinst', 'one', '--replicas=4']);
    await ready('one', 4);
    await fleet.kubectl(['scale', 'cinst', 'one', '--replicas=1']);
    await seen(
      fleet,
      'one',
      'one left',
      (instance) => instance.status?.replicas === 1 && instance.status.readyReplicas === 1,
    );
    await until('the others are gone', async () => (await replicas('one')).length === 1);
    const secrets = await fleet.kubectl(['get', 'secrets', '-l', 'fleet.aip.dev/instance=one', '-o', 'name']);
    await until(
      'and their keys',
      async () => {
        const left = await fleet.kubectl(['get', 'secrets', '-l', 'fleet.aip.dev/instance=one', '-o', 'name']);
        return left.split('\n').filter((line) => line.endsWith('-identity')).length === 1;
      },
      GARBAGE_MS,
    );
    expect(secrets).toContain('one-database');
    const records = await fleet.query('SELECT id FROM registry.replicas WHERE id LIKE $1', ['crepl_default.one-%']);
    expect(records).toHaveLength(1);
  });

  test('a change of configuration rolls out; old ones go when new ones are ready', async () => {
    await fleet.kubectl(['scale', 'cinst', 'one', '--replicas=2']);
    await ready('one', 2);
    const old = await replicas('one');
    await fleet.kubectl(['patch', 'cinst', 'one', '--type=merge', '-p', '{"spec":{"capacity":8}}']);
    await seen(
      fleet,
      'one',
      'rolled out',
      ({ status, spec }) =>
        spec.capacity === 8 && status?.updatedReplicas === 2 && status.readyReplicas === 2 && status.replicas === 2,
    );
    const now = await replicas('one');
    expect(now.filter((name) => old.includes(name))).toEqual([]);
  });

  test('a deleted replica is drained and another one takes its place', async () => {
    const [first] = await replicas('one');
    await fleet.kubectl(['delete', 'crep', first as string, '--timeout=30s']);
    await ready('one', 2);
    expect(await replicas('one')).not.toContain(first);
  });

  test('a cordoned replica is drained and comes back when it is wanted again', async () => {
    const [first] = (await replicas('one')) as [string];
    await fleet.kubectl(['patch', 'crep', first, '--type=merge', '-p', '{"spec":{"desiredState":"Drained"}}']);
    await ready('one', 1);
    await until('its Pod is gone', () => !fleet.node.running().includes(first));
    expect(await replicas('one')).toContain(first);
    await fleet.kubectl(['patch', 'crep', first, '--type=merge', '-p', '{"spec":{"desiredState":"Ready"}}']);
    await ready('one', 2);
  });

  test('the control plane gives no lease to what is drained, from before its Pod is asked to stop', async () => {
    await ready('one', 2);
    const [first] = (await replicas('one')) as [string];
    const retiring = async (): Promise<unknown> =>
      (await fleet.query(`SELECT retiring FROM registry.replicas WHERE id LIKE $1`, [`crepl_default.${first}.%`]))[0];
    const wanted = (desiredState: string): Promise<string> =>
      fleet.kubectl(['patch', 'crep', first, '--type=merge', '-p', JSON.stringify({ spec: { desiredState } })]);
    expect(await retiring()).toEqual({ retiring: false });
    fleet.stubborn.add(first);
    await wanted('Drained');
    const removedAt = () => fleet.kubectl(['get', 'pod', first, '-o', 'jsonpath={.metadata.deletionTimestamp}']);
    await until('its Pod is told to end', async () => (await removedAt()) !== '');
    expect(await retiring()).toEqual({ retiring: true });
    fleet.stubborn.delete(first);
    await ready('one', 1);
    await wanted('Ready');
    await ready('one', 2);
    expect(await retiring()).toEqual({ retiring: false });
  });

  test('a Pod that goes away comes back under the same name and key', async () => {
    const [first] = (await replicas('one')) as [string];
    const did = await fleet.kubectl(['get', 'crep', first, '-o', 'jsonpath={.spec.peerDid}']);
    const uid = await fleet.kubectl(['get', 'pod', first, '-o', 'jsonpath={.metadata.uid}']);
    await fleet.kubectl(['delete', 'pod', first]);
    await until('another Pod runs', async () => {
      const now = await fleet.kubectl(['get', 'pod', first, '--ignore-not-found', '-o', 'jsonpath={.metadata.uid}']);
      return now !== '' && now !== uid && fleet.node.running().includes(first);
    });
    expect(await fleet.kubectl(['get', 'crep', first, '-o', 'jsonpath={.spec.peerDid}'])).toBe(did);
  });

  test('goes with everything that was made for it', async () => {
    const instanceId = await fleet.kubectl(['get', 'cinst', 'one', '-o', 'jsonpath={.status.instanceId}']);
    await fleet.kubectl(['delete', 'cinst', 'one', '--timeout=60s']);
    expect(await replicas('one')).toEqual([]);
    await until(
      'nothing is left',
      async () => {
        const left = await fleet.kubectl([
          'get',
          'pods,secrets,services,pdb,configmaps',
          '-l',
          'fleet.aip.dev/instance=one',
          '-o',
          'name',
        ]);
        return left.trim() === '';
      },
      GARBAGE_MS,
    );
    const [record] = await fleet.query<{ enabled: boolean }>('SELECT enabled FROM registry.instances WHERE id = $1', [
      instanceId,
    ]);
    expect(record?.enabled).toBe(false);
    expect(await fleet.query('SELECT id FROM registry.replicas WHERE instance_id = $1', [instanceId])).toEqual([]);
  });
});

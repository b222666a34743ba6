import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { emptyDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { describeKube } from '../../support/api-server.ts';
import {
  type Controller,
  condition,
  demoInstance,
  eventsOf,
  type FleetDatabase,
  type KubeFleet,
  message,
  namesOf,
  type Seen,
  seen,
  startKubeFleet,
} from '../support/fleet.ts';
import { during } from '../support/quiet.ts';

describeKube('two releases in one cluster that watch the same namespaces', () => {
  let fleet: KubeFleet;
  let first: Controller;
  let second: Controller;
  let database: FleetDatabase;
  /** Specs of an instance's Pods, each as JSON. */
  const podSpecs = async (instance: string): Promise<string[]> => {
    const ofInstance = ['get', 'pods', '-l', `fleet.aip.dev/instance=${instance}`];
    const { items } = await fleet.json<{ items: { spec: object }[] }>(ofInstance);
    return items.map(({ spec }) => JSON.stringify(spec));
  };
  /** What of a release that the chart installs says that it is there. */
  const service = (namespace: string): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'aip-control-plane', namespace },
    spec: { ports: [{ port: 8090 }] },
  });
  const trust = (namespace: string): Promise<string> =>
    fleet.kubectl(['get', 'configmap', 'aip-trust', '-n', namespace, '-o', 'jsonpath={.data}']);

  beforeAll(async () => {
    fleet = await startKubeFleet();
    database = await emptyDatabase();
    first = await fleet.controller('controller-1');
    await fleet.apply(demoInstance('demo'));
    await seen(fleet, 'demo', 'ready', ({ status }) => status?.readyReplicas === 2);
    await fleet.kubectl(['create', 'namespace', 'aip2']);
    await fleet.apply(service('aip'), service('aip2'));
    second = await fleet.controller('controller-2', { NAMESPACE: 'aip2', DATABASE_URL: database.url });
    await until('the other one leads', async () => second.log().includes('"leads"') || second.log().includes('leader'));
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await fleet?.stop();
    await database?.drop();
  });

  test("the later one leaves the other's instance alone, says so once, and neither writes any more", async () => {
    const before = [await trust('default'), await namesOf(fleet, 'crep,pods,secrets')];
    const isTold = (instance: Seen): boolean =>
      condition(instance, 'OwnedElsewhere') === 'True OwnedByAnotherRelease' &&
      condition(instance, 'Ready') === 'True ReplicasReady';
    const instance = await seen(fleet, 'demo', 'it is told', isTold);
    expect(message(instance, 'OwnedElsewhere')).toMatch(
      /the release aip\/aip runs this instance, and aip2\/aip leaves it alone/,
    );
    expect(instance.metadata.annotations['fleet.aip.dev/release']).toBe('aip/aip');
    expect(await eventsOf(fleet, 'demo')).toContainEqual(expect.stringMatching(/^Warning OwnedByAnotherRelease: /));
    expect((await during(3000, fleet, first)).written).toEqual([]);
    expect([await trust('default'), await namesOf(fleet, 'crep,pods,secrets')]).toEqual(before);
  });

  test('a scale-up is carried out by its own release alone', async () => {
    await fleet.kubectl(['scale', 'cinst', 'demo', '--replicas=3']);
    await seen(fleet, 'demo', 'three', ({ status }) => status?.readyReplicas === 3 && status.replicas === 3);
    expect((await during(2000, fleet, second)).written).toEqual([]);
  });

  test('a condition of a release that was uninstalled is removed by the release that runs the instance', async () => {
    await fleet.stopController('controller-2');
    await fleet.kubectl(['delete', 'service', 'aip-control-plane', '-n', 'aip2']);
    const isSilent = (instance: Seen): boolean => condition(instance, 'OwnedElsewhere') === undefined;
    const silent = await seen(fleet, 'demo', 'nothing is said', isSilent);
    expect(condition(silent, 'Ready')).toBe('True ReplicasReady');
    await fleet.apply(service('aip2'));
    second = await fleet.controller('controller-3', { NAMESPACE: 'aip2', DATABASE_URL: database.url });
    await seen(fleet, 'demo', 'it is told again', (instance) => condition(instance, 'OwnedElsewhere') !== undefined);
  });

  test('an instance whose release only stopped is left to it, and handed over by taking its annotation off', async () => {
    await fleet.stopController('controller-1');
    const annotate = (...change: string[]) => fleet.kubectl(['annotate', 'cinst', 'demo', ...change]);
    await annotate('example.com/look=again');
    expect((await during(2000, fleet, second)).written).toEqual([]);
    await fleet.kubectl(['delete', 'configmap', 'aip-trust', '-n', 'default']);
    await annotate('fleet.aip.dev/release-');
    const isOurs = (instance: Seen): boolean =>
      instance.metadata.annotations['fleet.aip.dev/release'] === 'aip2/aip' &&
      condition(instance, 'OwnedElsewhere') === undefined;
    await seen(fleet, 'demo', 'handed over', isOurs);
    await until('each host was started again, and follows this control plane', async () => {
      const texts = await podSpecs('demo');
      return texts.length === 3 && texts.every((text) => text.includes('aip2.svc') && !text.includes('aip.svc'));
    });
    expect(
      await until('its trust is there', async () => (await trust('default').catch(() => '')).includes('did:key')),
    ).toBeTruthy();
  });

  test('an instance whose release was uninstalled is taken over without a person, also where somebody holds a replica of it', async () => {
    await fleet.apply(demoInstance('left', { replicas: 1 }));
    const owner = ({ metadata }: Seen): string | undefined => metadata.annotations['fleet.aip.dev/release'];
    await seen(fleet, 'left', 'the second release runs it', (instance) => owner(instance) === 'aip2/aip');
    const third = await emptyDatabase();
    try {
      await fleet.kubectl(['create', 'namespace', 'aip3']);
      await fleet.apply(service('aip3'));
      await fleet.controller('controller-4', { NAMESPACE: 'aip3', DATABASE_URL: third.url });
      await seen(fleet, 'left', 'it is told', (instance) => condition(instance, 'OwnedElsewhere') !== undefined);
      await fleet.stopController('controller-3');
      const [held] = (await namesOf(fleet, 'connectorreplicas', { instance: 'left' })) as [string];
      const hold = [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/held' }];
      await fleet.kubectl(['patch', held, '--type=json', '-p', JSON.stringify(hold)]);
      await fleet.kubectl(['delete', 'service', 'aip-control-plane', '-n', 'aip2']);
      const isOurs = (instance: Seen): boolean =>
        owner(instance) === 'aip3/aip' && condition(instance, 'OwnedElsewhere') === undefined;
      await seen(fleet, 'left', 'taken over', isOurs);
      expect((await eventsOf(fleet, 'left')).join('\n')).toContain('TakenOver: the release aip2/aip is gone');
      await until('its host follows this release', async () => {
        const texts = await podSpecs('left');
        return texts.length === 1 && texts.every((text) => text.includes('aip3.svc'));
      });
      const trustOwner = '-o=jsonpath={.metadata.annotations.fleet\\.aip\\.dev/release}';
      await until(
        'its trust is there',
        async () =>
          (await fleet.kubectl(['get', 'configmap', 'aip-trust', '-n', 'default', trustOwner])) === 'aip3/aip',
      );
    } finally {
      await fleet.stopController('controller-4');
      await third.drop();
    }
  });
});

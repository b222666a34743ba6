import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { startExternalMetrics } from './support/external-metrics.ts';
import { type Controller, demoInstance, type KubeFleet, projectFile, seen, startKubeFleet } from './support/fleet.ts';

describeKube('scaling by load', () => {
  let fleet: KubeFleet;
  let leader: Controller;
  let stopMetrics: (() => Promise<void>) | undefined;
  const value = async (controller: Controller, family: string): Promise<number | undefined> => {
    const { text } = await controller.admin('/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${family}{namespace="demo",instance="demo"}`));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  const load = async (controller = leader): Promise<string> =>
    `${await value(controller, 'aip_controller_instance_actions')} of ${await value(controller, 'aip_controller_instance_capacity')}`;
  const isReady = (replicas: number) =>
    seen(
      fleet,
      'demo',
      `${replicas} ready`,
      ({ status }) => status?.readyReplicas === replicas && status.replicas === replicas,
      'demo',
    );

  beforeAll(async () => {
    fleet = await startKubeFleet();
    await fleet.kubectl(['create', 'namespace', 'demo']);
    leader = await fleet.controller('controller-1');
    await fleet.apply(demoInstance('demo', { capacity: 10 }, 'demo'));
    await isReady(2);
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await stopMetrics?.();
    await fleet?.stop();
  });

  test('the leader alone has what the hosts of an instance run and could; hosts that take no work count for nothing', async () => {
    const set = (change: string, at: string) =>
      fleet.query(`UPDATE registry.replicas SET ${change} WHERE id LIKE 'crepl_demo.demo-%${at}.%'`);
    await set('active = 9', '');
    await until('the load is there', async () => (await load()) === '18 of 20');
    await set(`circuit_open_until = ${Date.now() + 3_600_000}`, '-1');
    await until('one host is not reached', async () => (await load()) === '18 of 10');
    await set('circuit_open_until = 0', '-1');
    await until('it is reached again', async () => (await load()) === '18 of 20');
    const second = await fleet.controller('controller-2');
    expect(await load(second)).toBe('undefined of undefined');
  });

  test('the autoscaler of the example reads the load of the instance and adds a host by its scale subresource', async () => {
    await fleet.kubectl(['apply', '-f', '-'], await projectFile('examples/kubernetes/autoscale.yaml'));
    const able = [
      'get',
      'hpa',
      'demo',
      '-n',
      'demo',
      '-o',
      'jsonpath={.status.conditions[?(@.type=="AbleToScale")].reason}',
    ];
    expect(
      await until('the autoscaler has read the scale', async () => (await fleet.kubectl(able)) === 'SucceededGetScale'),
    ).toBe(true);
    // The rule of the example: 1000 at full load.
    const metrics = await startExternalMetrics(async () => {
      const [actions, capacity] = [
        await value(leader, 'aip_controller_instance_actions'),
        await value(leader, 'aip_controller_instance_capacity'),
      ];
      return actions === undefined || !capacity ? undefined : Math.round((1000 * actions) / capacity);
    });
    stopMetrics = metrics.close;
    for (const object of metrics.objects) await fleet.kubectl(['apply', '-f', '-'], JSON.stringify(object));
    // At a load of 0.9 and an aim of 0.7 two hosts become three, which have a load of 0.6.
    const wanted = Math.ceil((2 * 0.9) / 0.7);
    await isReady(wanted);
    expect(metrics.asked).toContain('/namespaces/demo/aip_instance_load instance=demo');
    const raw = await fleet.kubectl([
      'get',
      '--raw',
      '/apis/fleet.aip.dev/v1alpha1/namespaces/demo/connectorinstances/demo/scale',
    ]);
    const scale = JSON.parse(raw) as { spec: object; status: { replicas: number; selector: string } };
    expect(scale).toMatchObject({ spec: { replicas: wanted }, status: { replicas: wanted } });
    const pods = await fleet.kubectl(['get', 'pods', '-n', 'demo', '-l', scale.status.selector, '-o', 'name']);
    expect(pods.trim().split('\n')).toHaveLength(wanted);
  });

  test('a leader that stops has no series any more, and the next one has', async () => {
    await fleet.stopController('controller-1');
    const next = await fleet.controller('controller-3');
    const second = async (): Promise<boolean> => (await load(next)) !== 'undefined of undefined';
    await fleet.stopController('controller-2');
    expect(await until('the next one counts', second)).toBe(true);
  });
});

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { CHART, helm, objectsOf, type Rendered, type Values, valueFlags } from '../chart/render.ts';
import { describeKube } from '../support/api-server.ts';
import {
  type Controller,
  condition,
  demoInstance,
  type KubeFleet,
  namesOf,
  RELEASE_NAMESPACE,
  seen,
  startKubeFleet,
} from './support/fleet.ts';

const RIGHTS = new Set(['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);
const ACCOUNT = 'aip-controller';

/** Who may do what, as the chart says it. */
async function rights(values: Values): Promise<Rendered[]> {
  const text = await helm(['template', 'aip', CHART, '--namespace', RELEASE_NAMESPACE, ...valueFlags(values)]);
  return objectsOf(text).filter(({ kind, metadata }) => RIGHTS.has(kind) && metadata.name.startsWith(ACCOUNT));
}

describeKube("a controller with the chart's own rights", () => {
  let fleet: KubeFleet;
  const start = async (name: string, env: Record<string, string> = {}): Promise<Controller> =>
    fleet.controller(name, {
      KUBECONFIG: await fleet.api.kubeconfigForServiceAccount(RELEASE_NAMESPACE, ACCOUNT),
      TENANCY: 'annotated',
      NETWORK_POLICY: 'true',
      ...env,
    });
  const forbidden = (controller: Controller): string[] =>
    controller
      .log()
      .split('\n')
      .filter((line) => /KubeForbidden/.test(line));
  /** Made, scaled, rolled out, disturbed, renewed and removed. */
  const wholeLife = async (name: string, namespace: string): Promise<void> => {
    const count = (replicas: number) =>
      seen(
        fleet,
        name,
        `${replicas} ready`,
        (instance) =>
          instance.status?.readyReplicas === replicas &&
          instance.status.replicas === replicas &&
          instance.status.updatedReplicas === replicas &&
          condition(instance, 'Reconciling') === undefined,
        namespace,
      );
    const patch = (spec: object) =>
      fleet.kubectl(['patch', 'cinst', name, '-n', namespace, '--type=merge', '-p', JSON.stringify({ spec })]);
    await fleet.apply(demoInstance(name, { deletionPolicy: 'Delete' }, namespace));
    await count(2);
    await patch({ replicas: 1 });
    await count(1);
    await patch({ config: { greeting: 'hello ' } });
    await count(1);
    const [replica] = (await namesOf(fleet, 'crep', { instance: name, namespace })) as [string];
    const host = replica.split('/')[1] as string;
    await fleet.kubectl(['delete', 'secret', `${host}-identity`, '-n', namespace]);
    await fleet.kubectl(['delete', 'pod', host, '-n', namespace]);
    await until('another host serves', async () => {
      const [now] = await namesOf(fleet, 'crep', { instance: name, namespace });
      return now !== undefined && now !== replica;
    });
    await count(1);
    expect(await namesOf(fleet, 'networkpolicies,services,pdb', { instance: name, namespace })).toEqual([
      `networkpolicy.networking.k8s.io/${name}`,
      `poddisruptionbudget.policy/${name}`,
      `service/${name}`,
    ]);
    await fleet.kubectl(['delete', 'cinst', name, '-n', namespace, '--timeout=40s']);
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    for (const name of ['acme', 'globex']) {
      await fleet.kubectl(['create', 'namespace', name]);
      await fleet.kubectl(['annotate', 'namespace', name, 'fleet.aip.dev/tenants=*']);
    }
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('takes an instance through its whole life in any namespace', async () => {
    await fleet.apply(...(await rights({ example: 'trial.yaml' })));
    const controller = await start('controller-1');
    await wholeLife('shop', 'globex');
    expect(forbidden(controller)).toEqual([]);
    await fleet.stopController('controller-1');
    await fleet.kubectl(['delete', 'clusterrolebinding', `${ACCOUNT}.${RELEASE_NAMESPACE}`]);
  });

  test('does so in the configured namespaces alone', async () => {
    await fleet.apply(...(await rights({ example: 'trial.yaml', set: { 'controller.watchNamespaces': ['acme'] } })));
    await fleet.apply(demoInstance('elsewhere', {}, 'globex'));
    const controller = await start('controller-2', { WATCH_NAMESPACES: 'acme' });
    await wholeLife('shop', 'acme');
    expect(forbidden(controller)).toEqual([]);
    expect(await fleet.kubectl(['get', 'cinst', 'elsewhere', '-n', 'globex', '-o', 'jsonpath={.status}'])).toBe('');
    expect(await namesOf(fleet, 'pods,crep', { namespace: 'globex' })).toEqual([]);
  });

  test('is not held up by a watched namespace that was deleted, and its rights with it', async () => {
    const watched = { 'controller.watchNamespaces': ['acme', 'globex'] };
    await fleet.apply(...(await rights({ example: 'trial.yaml', set: watched })));
    await fleet.stopController('controller-2');
    await fleet.kubectl(['delete', 'namespace', 'globex', '--timeout=60s']);
    await start('controller-3', { WATCH_NAMESPACES: 'acme,globex' });
    await fleet.apply(demoInstance('later', { replicas: 1 }, 'acme'));
    await expect(
      seen(fleet, 'later', 'ready', (instance) => condition(instance, 'Ready') === 'True ReplicasReady', 'acme'),
    ).resolves.toBeTruthy();
  });
});

import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImages } from '../../../../tools/kube-cluster/images/images.ts';
import { until } from '../../../support/until.ts';
import { describeCluster, startClusterOrSkip } from '../support/cluster.ts';
import { CHART, helm, RELEASE, valueFlags } from './render.ts';

const FIRST_TIME_MS = 900_000;
const repoRoot = resolve(import.meta.dirname, '..', '..', '..', '..');
const cluster = await startClusterOrSkip();

afterAll(() => cluster?.stop(), FIRST_TIME_MS);

describeCluster(cluster)('a trial release on a node', () => {
  if (!cluster) return;
  const { namespace, name, prefix } = RELEASE;
  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(['--namespace', namespace, ...args]);
  const release = (...args: string[]): Promise<string> =>
    helm([...args, '--namespace', namespace], { KUBECONFIG: cluster.kubeconfig });

  beforeAll(async () => {
    const images = await buildImages({ repoRoot });
    await cluster.kubectl(['create', 'namespace', namespace]);
    await cluster.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
    const digests = ['controller', 'runtime'] as const;
    const set = Object.fromEntries([
      ...digests.map((image) => [`images.${image}.repository`, images[image].split('@')[0]]),
      ...digests.map((image) => [`images.${image}.digest`, images[image].split('@')[1]]),
      ['postgres.embedded.image', images.postgres],
      ['controller.allowImageTags', false],
    ]);
    await release('install', name, CHART, ...valueFlags({ example: 'trial.yaml', set }), '--wait', '--timeout', '4m');
  }, FIRST_TIME_MS);

  test('comes up with the keys that its controller made, and nothing was restarted', async () => {
    for (const what of ['controller', 'gateway']) await kubectl('rollout', 'status', `deployment/${prefix}-${what}`);
    const secrets = (await kubectl('get', 'secrets', '-o', 'name')).trim().split('\n');
    for (const secret of ['ca', 'control-plane', 'gateway', 'principals'])
      expect(secrets).toContain(`secret/${prefix}-${secret}`);
    const restarts = await kubectl(
      'get',
      'pods',
      '-l',
      'app.kubernetes.io/component=gateway',
      '-o',
      'jsonpath={.items[*].status.containerStatuses[*].restartCount}',
    );
    expect(restarts).toBe('0');
  });

  test('helm test runs a connector, submits a streaming action, follows it to its end and leaves nothing', async () => {
    const output = await release('test', name, '--logs', '--timeout', '5m');
    expect(output).toMatch(/submitted act_[0-9a-f]{32}/);
    expect(output).toContain('"status":"completed"');
    await until(
      'the instance of the test and its hosts are gone',
      async () => {
        const left = await kubectl(
          'get',
          'cinst,crep,pods',
          '-l',
          `fleet.aip.dev/instance=${prefix}-test`,
          '-o',
          'name',
        );
        return left.trim() === '';
      },
      120_000,
    );
  }, 420_000);

  test('an upgrade that adds a gateway keeps keys and identity', async () => {
    const identity = (): Promise<string> =>
      kubectl('get', 'secret', `${prefix}-gateway`, '-o', 'jsonpath={.data.seed}');
    const before = await identity();
    await release('upgrade', name, CHART, '--reuse-values', '--set', 'gateway.replicas=2', '--wait', '--timeout', '4m');
    expect(await kubectl('get', 'deployment', `${prefix}-gateway`, '-o', 'jsonpath={.status.readyReplicas}')).toBe('2');
    expect(await identity()).toBe(before);
  }, 300_000);
});

import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { e2eCluster } from './support/cluster.ts';
import { everyHostAnswers, startLoad } from './support/load.ts';
import { installRelease, RELEASE, type Release } from './support/release.ts';

const cluster = await e2eCluster();
const ROOT = new URL('../..', import.meta.url).pathname;

describe.skipIf(!cluster)('the fleet on a real cluster', () => {
  if (!cluster) return;
  let release: Release;
  const kubectl = (...args: string[]): Promise<string> => release.kubectl(...args);
  const replicas = async (): Promise<string[]> =>
    (await kubectl('get', 'crep', '-l', 'fleet.aip.dev/instance=demo', '-o', 'jsonpath={.items[*].metadata.name}'))
      .split(' ')
      .filter(Boolean)
      .sort();
  /** Does `work` with actions under way; nothing may fail or get lost. */
  const underLoad = async (work: () => Promise<void>): Promise<void> => {
    const { gateway, close } = await release.gateway();
    await everyHostAnswers(gateway);
    const load = startLoad(gateway);
    try {
      await work();
      await until('the load is one', () => load.sent() > 20, 60_000);
    } finally {
      const { problems } = await load.stop();
      await close();
      expect(problems.slice(0, 10), `${problems.length} problems`).toEqual([]);
    }
  };

  beforeAll(async () => {
    release = await installRelease(cluster);
  });
  afterAll(async () => {
    await release?.close();
    await cluster.stop();
  });

  test('the commands of the first five minutes', async () => {
    await kubectl('apply', '-f', `${ROOT}examples/demo.yaml`);
    await release.ready('demo', 2);
    expect(await kubectl('get', 'cinst,crep', '-A')).toContain('ReplicasReady');
    const added = await release.aip('context', 'add', 'e2e', '--from-cluster', '-n', RELEASE.namespace);
    expect(added.stderr + added.stdout).toContain('It is in use now');
    const status = await release.aip('fleet', 'status');
    expect(status.stdout).toMatch(/demo +demo +1\.0\.0 +demo +2 +2 +0 +ReplicasReady/);
    const followed = await release.aip(
      'actions',
      'submit',
      'cap:demo:count',
      '--input',
      '{"n":5}',
      '--follow',
      '--json',
    );
    expect(followed.lines().filter((line) => line.chunk)).toHaveLength(6);
    expect(followed.lines().at(-1)).toMatchObject({ terminal: true, state: 'completed' });
    expect(followed.code).toBe(0);
    expect((await release.aip('doctor')).code).toBe(0);
  });

  test('1, 5, 0 and 2 replicas', async () => {
    for (const count of [1, 5, 0, 2]) {
      await kubectl('scale', 'cinst', 'demo', `--replicas=${count}`);
      await release.ready('demo', count);
    }
    expect(await replicas()).toHaveLength(2);
    await until(
      'no Pod is left over',
      async () => {
        const pods = await kubectl('get', 'pods', '-l', 'app.kubernetes.io/component=host', '-o', 'name');
        return pods.trim().split('\n').length === 2;
      },
      60_000,
    );
  });

  test('a rollout to another version under load fails no action and loses no chunk', async () => {
    const before = await replicas();
    await underLoad(async () => {
      await kubectl(
        'patch',
        'cinst',
        'demo',
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { connector: { version: `1.0.${Date.now()}` } } }),
      );
      await release.ready('demo', 2);
    });
    expect((await replicas()).filter((name) => before.includes(name))).toEqual([]);
  });

  test('a version whose image cannot be pulled is told, and the old one serves', async () => {
    const before = await replicas();
    const image = `${cluster.images.runtime.split('@')[0]}@sha256:${'0'.repeat(64)}`;
    await underLoad(async () => {
      await kubectl('patch', 'cinst', 'demo', '--type=merge', '-p', JSON.stringify({ spec: { connector: { image } } }));
      await until(
        'the refusal is told',
        async () =>
          (await kubectl('get', 'cinst', 'demo', '-o', 'jsonpath={.status.conditions}')).includes('ImagePullFailed'),
        120_000,
      );
      await kubectl('delete', 'pod', before[0] as string);
      await until(
        'a host that ends meanwhile starts again',
        async () => (await kubectl('get', 'cinst', 'demo', '-o', 'jsonpath={.status.readyReplicas}')) === '2',
        120_000,
      );
    });
    expect(await replicas()).toEqual(before);
    await kubectl('patch', 'cinst', 'demo', '--type=json', '-p', '[{"op":"remove","path":"/spec/connector/image"}]');
    await release.ready('demo', 2);
  });

  test('a host Pod that is deleted comes back as the same replica', async () => {
    const [name] = (await replicas()) as [string];
    const did = await kubectl('get', 'crep', name, '-o', 'jsonpath={.spec.peerDid}');
    await underLoad(async () => {
      await kubectl('delete', 'pod', name);
      await release.ready('demo', 2);
    });
    expect(await kubectl('get', 'crep', name, '-o', 'jsonpath={.spec.peerDid}')).toBe(did);
  });

  test.skipIf(!cluster.isLocal)('a host that is killed resumes its own lease and loses nothing', async () => {
    const [name] = (await replicas()) as [string];
    await underLoad(async () => {
      process.kill(await hostProcess(name), 'SIGKILL');
      await until(
        'the container was started again',
        async () => {
          const count = await kubectl('get', 'pod', name, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}');
          return count === '1';
        },
        60_000,
      );
      await release.ready('demo', 2);
    });
    expect(await kubectl('logs', name)).toContain('"message":"lease resumed"');
  });

  test('a deleted ConnectorReplica is drained and another one takes its place', async () => {
    const [name] = (await replicas()) as [string];
    await underLoad(async () => {
      await kubectl('delete', 'crep', name, '--timeout=120s');
      await release.ready('demo', 2);
    });
    expect(await replicas()).not.toContain(name);
  });

  test('a follower misses and repeats nothing when its gateway is deleted', async () => {
    const input = JSON.stringify({ n: 60, interval_ms: 250 });
    const following = release.startAip('actions', 'submit', 'cap:demo:count', '--input', input, '--follow', '--json');
    await until('chunks come', () => following.lines().filter((line) => line.chunk).length > 5, 30_000);
    const pods = (
      await kubectl(
        'get',
        'pods',
        '-n',
        RELEASE.namespace,
        '-l',
        'app.kubernetes.io/component=gateway',
        '-o',
        'jsonpath={.items[*].metadata.name}',
      )
    ).split(' ');
    for (const pod of pods) {
      await kubectl('delete', 'pod', pod, '-n', RELEASE.namespace, '--grace-period=1');
      await kubectl('rollout', 'status', 'deployment/aip-gateway', '-n', RELEASE.namespace, '--timeout=120s');
    }
    const ended = await following.ended;
    const sequences = ended
      .lines()
      .flatMap((line) => (line.chunk ? [Number((line.chunk as { sequence: number }).sequence)] : []));
    expect(sequences).toEqual(Array.from({ length: 61 }, (_, n) => (sequences[0] as number) + n));
    expect(ended.lines().at(-1)).toMatchObject({ terminal: true, state: 'completed' });
  });

  test('the keys of gateway and control plane rotate with actions in flight', async () => {
    const dids = (key: string) => kubectl('get', 'configmap', 'aip-trust', '-o', `jsonpath={.data.${key}}`);
    const before = await Promise.all([dids('gateway-dids'), dids('control-plane-dids')]);
    await underLoad(async () => {
      for (const key of ['gateway', 'control-plane']) expect((await release.aip('trust', 'rotate', key)).code).toBe(0);
      await until(
        'only the new keys are trusted',
        async () => {
          const now = await Promise.all([dids('gateway-dids'), dids('control-plane-dids')]);
          return now.every((text, n) => text.trim().split('\n').length === 1 && text !== before[n]);
        },
        240_000,
      );
    });
    await release.ready('demo', 2);
  }, 400_000);

  test('the authority rotates with actions in flight', async () => {
    const authority = () => kubectl('get', 'configmap', 'aip-trust', '-o', 'jsonpath={.data.ca\\.crt}');
    const before = await authority();
    await underLoad(async () => {
      expect((await release.aip('trust', 'rotate', 'ca')).code).toBe(0);
      await until(
        'only the new authority is trusted',
        async () => {
          const now = await authority();
          return now !== before && now.split('BEGIN CERTIFICATE').length === 2 && !before.includes(now.slice(40, 200));
        },
        300_000,
      );
    });
    await release.ready('demo', 2);
  }, 400_000);

  test('the hosts of a node are drained one by one, as the disruption budget says', async () => {
    const node = (await kubectl('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}')).trim();
    await underLoad(async () => {
      let drained = false;
      const draining = kubectl(
        ...['drain', node, '--pod-selector=app.kubernetes.io/component=host', '--delete-emptydir-data'],
        '--timeout=180s',
      ).finally(() => {
        drained = true;
      });
      // There is no other node: what was evicted comes back to this one.
      await until('the drain ends', async () => (await kubectl('uncordon', node)) !== '' && drained, 200_000);
      await draining;
      await kubectl('uncordon', node);
      await release.ready('demo', 2);
    });
  });

  test('without any controller hosts serve until their leases end, and work that was taken waits', async () => {
    const controllers = (count: number) =>
      kubectl('scale', 'deployment', 'aip-controller', '-n', RELEASE.namespace, `--replicas=${count}`);
    const echo = (...more: string[]) =>
      release.aip('actions', 'submit', 'cap:demo:echo', '--input', '{"text":"x"}', '--json', ...more);
    const dids = () => kubectl('get', 'crep', '-o', 'jsonpath={.items[*].spec.peerDid}');
    const before = await dids();
    await controllers(0);
    await until(
      'the controllers are gone',
      async () => {
        const pods = await kubectl(
          ...['get', 'pods', '-n', RELEASE.namespace, '-o', 'name'],
          ...['-l', 'app.kubernetes.io/component=controller'],
        );
        return pods.trim() === '';
      },
      60_000,
    );
    expect((await echo()).code).toBe(0);
    await until(
      'the leases have ended',
      async () => (await echo()).stdout.includes('connector.replica_unavailable'),
      120_000,
    );
    const waiting = await echo('--mode', 'async');
    expect(waiting.code).toBe(0);
    await controllers(2);
    await release.ready('demo', 2);
    const id = (waiting.json() as { action_id: string }).action_id;
    expect((await release.aip('actions', 'follow', id, '--json')).lines().at(-1)).toMatchObject({ state: 'completed' });
    expect(await dids()).toBe(before);
  });

  test('the leading controller is killed in the middle of a rollout', async () => {
    await kubectl('patch', 'cinst', 'demo', '--type=merge', '-p', '{"spec":{"capacity":16}}');
    const holder = await kubectl(
      'get',
      'lease',
      'aip-controller',
      '-n',
      RELEASE.namespace,
      '-o',
      'jsonpath={.spec.holderIdentity}',
    );
    await kubectl('delete', 'pod', holder, '-n', RELEASE.namespace, '--grace-period=0', '--force');
    await release.ready('demo', 2);
    expect(await replicas()).toHaveLength(2);
  });

  test('PostgreSQL is killed under load', async () => {
    const { gateway, close } = await release.gateway();
    const load = startLoad(gateway);
    await kubectl('delete', 'pod', 'aip-postgres-0', '-n', RELEASE.namespace, '--grace-period=0', '--force');
    await kubectl('rollout', 'status', 'statefulset/aip-postgres', '-n', RELEASE.namespace, '--timeout=120s');
    await release.ready('demo', 2);
    const { problems } = await load.stop();
    await close();
    // While there is no database a submit may be refused and an action may fail, once and with its receipts.
    expect(problems.filter((problem) => !/was not taken|ended as failed/.test(problem))).toEqual([]);
  });

  test('helm upgrade with load running loses nothing', async () => {
    await underLoad(async () => {
      await release.helm(
        'upgrade',
        RELEASE.name,
        `${ROOT}charts/aip-fleet`,
        ...release.values,
        '--set',
        'gateway.logLevel=warn',
        '--set',
        'controller.logLevel=warn',
        '--wait',
        '--timeout',
        '5m',
      );
    });
    await release.ready('demo', 2);
  });

  test('a deleted instance leaves nothing', async () => {
    const instanceId = await kubectl('get', 'cinst', 'demo', '-o', 'jsonpath={.status.instanceId}');
    await kubectl('delete', 'cinst', 'demo', '--timeout=180s');
    await until(
      'all of it is gone',
      async () => {
        const left = await kubectl(
          'get',
          'crep,pods,secrets,services,pdb,configmaps',
          '-l',
          'fleet.aip.dev/instance=demo',
          '-o',
          'name',
        );
        return left.trim() === '';
      },
      60_000,
    );
    expect(instanceId).toMatch(/^cinst_default\.demo\./);
  });

  test('a deleted namespace goes whole', async () => {
    await kubectl('create', 'namespace', 'doomed');
    await kubectl('apply', '-n', 'doomed', '-f', `${ROOT}examples/demo.yaml`);
    await release.ready('demo', 2, 'doomed');
    await kubectl('delete', 'namespace', 'doomed', '--timeout=240s');
  });

  /** Process of a host on this machine, by the replica in its environment. */
  async function hostProcess(replica: string): Promise<number> {
    for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (environment.includes(`AIP_CONNECTOR_HOST_REPLICA_ID=crepl_default.${replica}.`)) return Number(pid);
    }
    throw new Error(`no process of ${replica} runs here`);
  }
});

import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { underLoad } from './support/load.ts';
import { sql } from './support/orphans.ts';
import { podProcess } from './support/pods/pod-process.ts';
import { needsThisMachine } from './support/this-machine.ts';

describeFleet('the life of instances and replicas', (release) => {
  const { kubectl } = release ?? {};
  const replicas = (): Promise<string[]> => release.replicas('demo');
  const demo = (path: string): Promise<string> => kubectl('get', 'cinst', 'demo', '-o', `jsonpath={${path}}`);
  const patch = (spec: object): Promise<string> =>
    kubectl('patch', 'cinst', 'demo', '--type=merge', '-p', JSON.stringify({ spec }));

  test('the commands of the first five minutes', async () => {
    expect(await kubectl('get', 'cinst,crep', '-A')).toContain('ReplicasReady');
    const status = await release.aip('fleet', 'status');
    expect(status.stdout).toMatch(/demo +demo +1\.0\.0 +demo +2 +2 +0 +ReplicasReady/);
    const followed = await release.aip(
      ...['actions', 'submit', 'cap:demo:count', '--input', '{"n":5}', '--follow', '--json'],
    );
    expect(followed.lines().filter((line) => line.chunk)).toHaveLength(6);
    expect(followed.lines().at(-1)).toMatchObject({ terminal: true, state: 'completed' });
    expect(followed.code).toBe(0);
    expect((await release.aip('doctor')).code).toBe(0);
  });

  test('helm test submits an action and follows it to its end', async () => {
    expect(await release.helm('test', 'aip', '--logs', '--timeout', '3m')).toMatch(/Phase: +Succeeded/);
  });

  test('1, 5, 0 and 2 replicas', async () => {
    for (const count of [1, 5, 0, 2]) {
      await kubectl('scale', 'cinst', 'demo', `--replicas=${count}`);
      await release.ready('demo', count);
    }
    expect(await replicas()).toHaveLength(2);
    const hosts = ['get', 'pods', '-l', 'app.kubernetes.io/component=host', '-o', 'name'];
    await until('no Pod is left over', async () => (await kubectl(...hosts)).trim().split('\n').length === 2, 60_000);
  });

  test('a host that is asked to stop in its first second ends, and does not serve on for its time of grace', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `brief-${n}`);
    const spec = { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'brief', replicas: 1 };
    const apiVersion = 'fleet.aip.dev/v1alpha1';
    await release.apply(
      ...names.map((name) => ({
        apiVersion,
        kind: 'ConnectorInstance',
        metadata: { name, namespace: 'default' },
        spec,
      })),
    );
    interface Pods {
      items: { metadata: { labels: Record<string, string> }; status: { containerStatuses?: { state: object }[] } }[];
    }
    const hosts = ['get', 'pods', '-l', 'app.kubernetes.io/component=host'];
    const left = new Set(names);
    await until(
      'each is scaled down as soon as its container runs',
      async () => {
        const { items } = await release.json<Pods>(...hosts);
        const begun = items
          .filter(({ status }) => status.containerStatuses?.some(({ state }) => 'running' in state))
          .map(({ metadata }) => metadata.labels['fleet.aip.dev/instance'] as string)
          .filter((name) => left.has(name));
        await Promise.all(begun.map((name) => kubectl('scale', 'cinst', name, '--replicas=0')));
        for (const name of begun) left.delete(name);
        return left.size === 0;
      },
      120_000,
    );
    await until(
      'their Pods are gone',
      async () => {
        const { items } = await release.json<Pods>(...hosts);
        return items.every(({ metadata }) => !names.includes(metadata.labels['fleet.aip.dev/instance'] as string));
      },
      60_000,
    );
    const ready = `SELECT id FROM registry.replicas WHERE id LIKE 'crepl_default.brief-%' AND status = 'ready'`;
    expect(await sql(kubectl, ready)).toEqual([]);
    await kubectl('delete', 'cinst', ...names, '--timeout=60s');
  });

  test('a rollout to another version under load fails no action and loses no chunk', async () => {
    const before = await replicas();
    await underLoad(release, async () => {
      await patch({ connector: { version: `1.0.${Date.now()}` } });
      await release.ready('demo', 2);
    });
    expect((await replicas()).filter((name) => before.includes(name))).toEqual([]);
  });

  test('a version whose image cannot be pulled is reported, and the old one serves', async () => {
    const before = await replicas();
    const image = `${release.cluster.images.runtime.split('@')[0]}@sha256:${'0'.repeat(64)}`;
    await underLoad(release, async () => {
      await patch({ connector: { image } });
      await until(
        'the refusal is reported',
        async () => (await demo('.status.conditions')).includes('ImagePullFailed'),
        120_000,
      );
      await kubectl('delete', 'pod', before[0] as string);
      await until(
        'a host that ends meanwhile starts again',
        async () => (await demo('.status.readyReplicas')) === '2',
        120_000,
      );
    });
    expect(await replicas()).toEqual(before);
    await patch({ connector: { image: null } });
    await release.ready('demo', 2);
  });

  test('a host Pod that is deleted comes back as the same replica', async () => {
    const [name] = (await replicas()) as [string];
    const did = await kubectl('get', 'crep', name, '-o', 'jsonpath={.spec.peerDid}');
    await underLoad(release, async () => {
      await kubectl('delete', 'pod', name);
      await release.ready('demo', 2);
    });
    expect(await kubectl('get', 'crep', name, '-o', 'jsonpath={.spec.peerDid}')).toBe(did);
  });

  test.skipIf(needsThisMachine('a host that is killed'))(
    'a host that is killed resumes its own lease and loses nothing',
    async () => {
      const [name] = (await replicas()) as [string];
      const restarts = (): Promise<string> =>
        kubectl('get', 'pod', name, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}');
      await underLoad(release, async () => {
        process.kill(await podProcess(name), 'SIGKILL');
        await until('the container was started again', async () => (await restarts()) === '1', 60_000);
        await release.ready('demo', 2);
      });
      expect(await kubectl('logs', name)).toContain('"message":"lease resumed"');
    },
  );

  test('a deleted ConnectorReplica is drained and another one takes its place', async () => {
    const [name] = (await replicas()) as [string];
    await underLoad(release, async () => {
      await kubectl('delete', 'crep', name, '--timeout=120s');
      await release.ready('demo', 2);
    });
    expect(await replicas()).not.toContain(name);
  });

  test('the hosts of a node are drained one by one, as the disruption budget says', async () => {
    const node = (await kubectl('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}')).trim();
    await underLoad(release, async () => {
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
      await expect(release.ready('demo', 2)).resolves.not.toThrow();
    });
  });

  test('a deleted instance leaves nothing, with deletionPolicy Delete no database either', async () => {
    const areas = async (): Promise<number> =>
      (await sql(kubectl, "SELECT rolname FROM pg_roles WHERE rolname ~ '^host_[0-9a-f]{16}$'")).length;
    const before = await areas();
    await patch({ deletionPolicy: 'Delete' });
    await kubectl('delete', 'cinst', 'demo', '--timeout=180s');
    const rest = [
      'get',
      'crep,pods,secrets,services,pdb,configmaps',
      '-l',
      'fleet.aip.dev/instance=demo',
      '-o',
      'name',
    ];
    await until('all of it is gone', async () => (await kubectl(...rest)).trim() === '', 60_000);
    expect(await areas()).toBe(before - 1);
  });

  test('a deleted namespace goes whole', async () => {
    await kubectl('create', 'namespace', 'doomed');
    await kubectl('apply', '-n', 'doomed', '-f', 'examples/demo.yaml');
    await release.ready('demo', 2, 'doomed');
    await kubectl('delete', 'namespace', 'doomed', '--timeout=240s');
    expect(await kubectl('get', 'namespace', 'doomed', '--ignore-not-found')).toBe('');
  });
});

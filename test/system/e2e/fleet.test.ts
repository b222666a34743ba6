import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { underLoad } from './support/load.ts';

interface Replica {
  name: string;
  state: string;
  desired: string;
}
interface Status {
  instances: { name: string; ready: number; version: string; replicas: Replica[] }[];
}

describeFleet('aip fleet on a cluster', (release) => {
  const demo = async () => {
    const { instances } = (await release.aip('fleet', 'status', '-n', 'default', '--json')).json() as unknown as Status;
    return instances.find(({ name }) => name === 'demo') as Status['instances'][number];
  };
  const replica = async (name: string) => (await demo()).replicas.find((each) => each.name === name);

  test('drain takes a replica out and keeps it, resume brings the same one back, and no action is lost', async () => {
    const [name] = (await release.replicas('demo')) as [string];
    const did = (): Promise<string> => release.kubectl('get', 'crep', name, '-o', 'jsonpath={.spec.peerDid}');
    const before = await did();
    await underLoad(release, async () => {
      const drained = await release.aip('fleet', 'drain', name);
      expect(drained.code, drained.stderr).toBe(0);
      expect(drained.stdout).toContain(`${name} is drained`);
      await until('its host has gone', async () => (await replica(name))?.state === 'offline', 120_000);
      expect(await replica(name)).toMatchObject({ desired: 'drained' });
      expect(await demo()).toMatchObject({ ready: 1 });
      expect(await release.kubectl('get', 'pod', name, '--ignore-not-found')).toBe('');
      const resumed = await release.aip('fleet', 'resume', `default/${name}`, '--json');
      expect(resumed.json()).toEqual({ replica: `default/${name}`, desired_state: 'Ready' });
      await until('it serves again', async () => (await replica(name))?.state === 'ready', 120_000);
    });
    expect(await did()).toBe(before);
  });

  test('status shows the version that runs; logs and events show what hosts and controller reported', async () => {
    await release.ready('demo', 2);
    const { version, replicas } = await demo();
    expect(replicas.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect((await release.aip('fleet', 'status')).stdout).toContain(version);
    const names = replicas.map(({ name }) => name);
    const logs = await release.aip('fleet', 'logs', 'demo', '-n', 'default', '--json');
    expect(logs.code, logs.stderr).toBe(0);
    for (const name of names) {
      const one = await release.aip('fleet', 'logs', name, '-n', 'default');
      expect(one.stdout).toContain('lease obtained');
      expect(logs.stdout).toContain(name);
    }
    const events = await release.aip('fleet', 'events', 'demo', '-n', 'default');
    expect(events.stdout).toContain('Cordoned');
    const level = await release.aip('fleet', 'logs', names[0] as string, '-n', 'default', '--level', 'error');
    expect(level.stdout).not.toContain('lease obtained');
  });
});

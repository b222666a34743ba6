import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { commitBefore } from './support/commit-before.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { underLoad } from './support/load.ts';
import { helmOn, installRelease, RELEASE, ROOT, valuesFor } from './support/release.ts';
import { needsThisMachine } from './support/this-machine.ts';

interface Made {
  metadata: { annotations: Readonly<Record<string, string>> };
}

describeFleet('upgrade, uninstall, install again', (release) => {
  const { kubectl } = release ?? {};
  const workloads = ['deployment/aip-controller', 'deployment/aip-gateway'];

  test('helm upgrade with other values and load running loses nothing', async () => {
    const chart = join(ROOT, 'charts/aip-fleet');
    const other = ['--set', 'gateway.logLevel=warn', '--set', 'controller.logLevel=warn'];
    await underLoad(release, async () => {
      await release.helm(
        ...['upgrade', RELEASE.name, chart, ...valuesFor(release.cluster), ...other, '--wait', '--timeout', '5m'],
      );
    });
    await expect(release.ready('demo', 2)).resolves.not.toThrow();
  });

  test('what an uninstall leaves is what the next install continues with; status --wait beside helm install --wait ends when the instance is ready', async () => {
    const submitted = await release.aip('actions', 'submit', 'cap:demo:echo', '--input', '{"text":"kept"}', '--json');
    const { action_id: id } = submitted.json() as { action_id: string };
    await kubectl('delete', 'cinst', 'demo', '--timeout=180s');
    await release.helm('uninstall', RELEASE.name, '--wait');
    const kept = await kubectl('get', 'secrets', '-n', RELEASE.namespace, '-o', 'name');
    for (const name of ['aip-ca', 'aip-control-plane', 'aip-gateway', 'aip-principals', 'aip-postgres'])
      expect(kept).toContain(`secret/${name}\n`);
    expect(await kubectl('get', 'crd', '-o', 'name')).toContain('connectorinstances.fleet.aip.dev');
    await release.apply('examples/demo.yaml');
    const early = await release.aip('fleet', 'status', '-n', 'default', '--wait', '--wait-timeout', '1s');
    expect(early).toMatchObject({ code: 124, stderr: expect.stringContaining('demo') });
    const waiting = release.startAip('fleet', 'status', '-n', 'default', '--wait', '--json');
    await installRelease(release.cluster);
    const waited = await waiting.ended;
    expect(waited.code, waited.stderr).toBe(0);
    const ready = expect.objectContaining({ name: 'demo', desired: 2, ready: 2 });
    expect(waited.json()).toMatchObject({ instances: [ready] });
    expect((await release.aip('actions', 'get', id, '--json')).json()).toMatchObject({ state: 'completed' });
    await expect(release.ready('demo', 2)).resolves.not.toThrow();
  });

  test('a release takes over the instance of one that was uninstalled, and its hosts come up there; the same way back', {
    timeout: 600_000,
  }, async () => {
    const other = 'elsewhere';
    const ways = [
      [RELEASE.namespace, other],
      [other, RELEASE.namespace],
    ] as const;
    for (const [from, to] of ways) {
      await helmOn(release.cluster, from, 'uninstall', RELEASE.name, '--wait');
      await installRelease(release.cluster, { namespace: to, flags: ['--take-ownership'] });
      await until(`the release in ${to} has made the replicas`, async () => {
        const { items } = await release.json<{ items: Made[] }>('get', 'crep', '-l', 'fleet.aip.dev/instance=demo');
        const owners = items.map(({ metadata }) => metadata.annotations['fleet.aip.dev/release']);
        return owners.length === 2 && owners.every((owner) => owner === `${to}/${RELEASE.name}`);
      });
      await kubectl('wait', 'crep', '-l', 'fleet.aip.dev/instance=demo', '--for=condition=Ready', '--timeout=120s');
      await release.ready('demo', 2);
      await release.useContext(to, to);
      const echo = ['actions', 'submit', 'cap:demo:echo', '--input', '{"text":"here"}', '--wait', '--json'];
      expect((await release.aip(...echo)).json()).toMatchObject({ state: 'completed' });
    }
    await kubectl('delete', 'namespace', other, '--timeout=240s');
    await release.aip('context', 'use', 'e2e');
  });

  test.skipIf(needsThisMachine('an upgrade from the commit before, whose images are built here'))(
    'an upgrade from the commit before, its images too, loses nothing',
    async () => {
      await kubectl('delete', 'cinst', 'demo', '--timeout=180s');
      await release.helm('uninstall', RELEASE.name, '--wait');
      await kubectl('delete', 'namespace', RELEASE.namespace, '--timeout=240s');
      await kubectl('delete', 'crd', 'connectorinstances.fleet.aip.dev', 'connectorreplicas.fleet.aip.dev');
      const before = await commitBefore();
      try {
        await installRelease(release.cluster, before);
        await release.apply('examples/demo.yaml');
        await release.ready('demo', 2);
        await release.useContext('before');
        await underLoad(release, async () => {
          await installRelease(release.cluster);
          for (const workload of workloads) await release.rolledOut(workload);
          await release.ready('demo', 2);
        });
      } finally {
        await before.remove();
        await installRelease(release.cluster);
      }
    },
  );
});

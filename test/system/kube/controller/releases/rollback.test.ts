import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../../../cli/support/run-cli.ts';
import { describeKube } from '../../support/api-server.ts';
import {
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  message,
  namesOf,
  seen,
  startKubeFleet,
} from '../support/fleet.ts';

interface Kept {
  revision: number;
  template: string;
  spec: { capacity: number };
}

describeKube('pauses and rollbacks of rollouts', () => {
  let fleet: KubeFleet;
  let folder: string;
  const patch = (name: string, spec: object) =>
    fleet.kubectl(['patch', 'cinst', name, '--type=merge', '-p', JSON.stringify({ spec })]);
  const history = (instance: { metadata: { annotations: Record<string, string> } }): Kept[] =>
    JSON.parse(instance.metadata.annotations['fleet.aip.dev/revisions'] ?? '[]') as Kept[];
  const rolledOut = (name: string, capacity: number, replicas = 2) =>
    seen(fleet, name, `rolled out with capacity ${capacity}`, (instance) => {
      const { status, spec } = instance;
      const updated = status?.replicas === replicas && status.updatedReplicas === replicas;
      return updated && spec.capacity === capacity && history(instance)[0]?.spec.capacity === capacity;
    });
  const aip = (...args: string[]) =>
    runCli(args, { env: { AIP_CONFIG: join(folder, 'contexts.yaml'), KUBECONFIG: fleet.api.kubeconfig } });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-rollback-'));
    fleet = await startKubeFleet();
    await fleet.controller();
    const kube = { kubeconfig: fleet.api.kubeconfig, namespace: 'aip-system', release: 'aip' };
    const contexts = { current: 'here', contexts: [{ name: 'here', token: 't', kube }] };
    await writeFile(join(folder, 'contexts.yaml'), JSON.stringify(contexts), { mode: 0o600 });
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('a paused rollout replaces nothing and still scales down; resumed, it goes to its end', async () => {
    await fleet.apply(demoInstance('held', { capacity: 5, rollout: { paused: true } }));
    await rolledOut('held', 5);
    const before = await namesOf(fleet, 'crep', { instance: 'held' });
    await patch('held', { capacity: 6 });
    const paused = await seen(
      fleet,
      'held',
      'paused',
      (found) => condition(found, 'Reconciling') === 'True RolloutPaused',
    );
    expect(condition(paused, 'Ready')).toBe('True ReplicasReady');
    expect(await namesOf(fleet, 'crep', { instance: 'held' })).toEqual(before);
    await patch('held', { replicas: 1 });
    await seen(fleet, 'held', 'one left', ({ status }) => status?.replicas === 1 && status.readyReplicas === 1);
    const [left] = await namesOf(fleet, 'crep', { instance: 'held' });
    expect(before).toContain(left);
    await patch('held', { rollout: { paused: false } });
    await rolledOut('held', 6, 1);
    expect(await namesOf(fleet, 'crep', { instance: 'held' })).not.toContain(left);
  });

  test('completed rollouts are kept up to the limit, and aip fleet rollback restores one', async () => {
    const config = { capacity: 11, revisionHistoryLimit: 2, pod: { annotations: { 'example.com/a': '1' } } };
    await fleet.apply(demoInstance('kept', config));
    await rolledOut('kept', 11);
    expect((await aip('fleet', 'rollback', 'kept', '--json')).json()).toMatchObject({
      error: { message: 'There is no earlier revision.', advice: expect.stringContaining('1 (1.0.0)') },
    });
    await patch('kept', { capacity: 12, pod: { annotations: { 'example.com/a': null, 'example.com/b': '2' } } });
    expect(history(await rolledOut('kept', 12)).map(({ revision }) => revision)).toEqual([2, 1]);
    expect((await aip('fleet', 'rollback', 'default/kept', '--json')).json()).toEqual({
      instance: 'default/kept',
      revision: 1,
      version: '1.0.0',
    });
    const restored = await rolledOut('kept', 11);
    expect(restored.spec.pod).toEqual({ annotations: { 'example.com/a': '1' } });
    expect(history(restored).map(({ revision }) => revision)).toEqual([3, 2]);
    await patch('kept', { capacity: 13 });
    expect(history(await rolledOut('kept', 13)).map(({ revision }) => revision)).toEqual([4, 3]);
    const refused = await aip('fleet', 'rollback', 'kept', '--to', '1', '--json');
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({ error: { message: 'There is no revision 1.' } });
    expect((await aip('fleet', 'rollback', 'kept', '--to', '3', '--json')).json()).toMatchObject({ revision: 3 });
    await rolledOut('kept', 11);
  });

  test('with onDeadline Rollback a template that misses its deadline gives way to the last good one, and the spec is unchanged', async () => {
    await fleet.apply(
      demoInstance('late', { capacity: 21, rollout: { progressDeadlineSeconds: 3, onDeadline: 'Rollback' } }),
    );
    await rolledOut('late', 21);
    const good = await namesOf(fleet, 'crep', { instance: 'late' });
    fleet.neverReady.add('late');
    await patch('late', { capacity: 22 });
    const back = await seen(
      fleet,
      'late',
      'rolled back',
      (found) => condition(found, 'Stalled') === 'True RolledBack' && found.status?.replicas === 2,
    );
    expect(message(back, 'Stalled')).toContain('revision 1 runs');
    expect(condition(back, 'Ready')).toBe('True ReplicasReady');
    expect(back.spec.capacity).toBe(22);
    expect(await namesOf(fleet, 'crep', { instance: 'late' })).toEqual(good);
    expect((await eventsOf(fleet, 'late')).join('\n')).toContain('RolledBack');
    fleet.neverReady.delete('late');
    await patch('late', { capacity: 23 });
    const next = await rolledOut('late', 23);
    expect(next.metadata.annotations['fleet.aip.dev/rolled-back']).toBeUndefined();
  });
});

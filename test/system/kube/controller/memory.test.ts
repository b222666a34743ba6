import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { type Controller, condition, demoInstance, type KubeFleet, seen, startKubeFleet } from './support/fleet.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const REPLICAS = 3;

describeKube('memory of a controller', () => {
  let fleet: KubeFleet;
  let controller: Controller;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-heap-'));
    fleet = await startKubeFleet({ describesOnce: true });
    const nodeOptions = ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`];
    controller = await fleet.controller('controller-1', {}, { nodeOptions });
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What is in the heap of the controller once all garbage is collected. */
  const heap = async (): Promise<string> => {
    controller.process.kill('SIGUSR2');
    // The file is whole when it ends as it does; writing it stops the process.
    return until(
      'the heap is written',
      async () => {
        const [file] = await readdir(folder);
        const text = file && (await readFile(join(folder, file), 'utf8'));
        return text?.trimEnd().endsWith(']}') ? text : undefined;
      },
      60_000,
    );
  };
  const uids = async (kinds: string): Promise<string[]> =>
    (await fleet.kubectl(['get', kinds, '-o', 'jsonpath={.items[*].metadata.uid}'])).split(' ').filter(Boolean);

  test('of replicas that come and go, and of their Pods, nothing stays in the memory of the controller', async () => {
    const gone: string[] = [];
    for (const capacity of [1, 2, 3]) {
      await fleet.apply(...NAMES.map((name) => demoInstance(name, { replicas: REPLICAS, capacity })));
      for (const name of NAMES)
        await seen(fleet, name, 'ready', (instance) => condition(instance, 'Ready') === 'True ReplicasReady');
      gone.push(...(await uids('crep,pods')));
      await fleet.kubectl(['delete', 'cinst', ...NAMES, '--timeout=60s']);
      await until('nothing is left', async () => (await uids('crep,pods')).length === 0, 60_000);
    }
    // One that stays is found: the look is worth something.
    await fleet.apply(demoInstance('stays', { replicas: 1 }));
    await seen(fleet, 'stays', 'ready', (instance) => condition(instance, 'Ready') === 'True ReplicasReady');
    const there = await uids('crep,pods');
    const text = await heap();
    expect(gone.length).toBeGreaterThanOrEqual(3 * 2 * NAMES.length * REPLICAS);
    expect(there.filter((uid) => !text.includes(uid))).toEqual([]);
    expect(gone.filter((uid) => text.includes(uid))).toEqual([]);
  }, 300_000);
});

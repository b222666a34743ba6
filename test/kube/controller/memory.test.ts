import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { podCredentials } from '../support/service-account.ts';
import { type Controller, condition, demoInstance, type KubeFleet, seen, startKubeFleet } from './support/fleet.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const REPLICAS = 3;
/** What is compiled and pooled grows at first; a leak goes on growing. */
const WARM_CYCLES = 6;
const CYCLES = 6;
/**
 * In bytes a cycle, which makes and removes 12 replicas and 4 instances. Their Events, some 50, are remembered for a while, at most 4096 of them,
 * with about 1 KiB each; what the copies hold of the rest takes several times as much.
 */
const ALLOWED = 96 * 1024;

describeKube('memory of a controller', () => {
  let fleet: KubeFleet;
  let controller: Controller;

  beforeAll(async () => {
    fleet = await startKubeFleet({ describesOnce: true });
    await fleet.api.kubectl(['create', 'serviceaccount', 'controller']);
    const role = ['--clusterrole=cluster-admin', '--serviceaccount=default:controller'];
    await fleet.api.kubectl(['create', 'clusterrolebinding', 'controller', ...role]);
    const nodeOptions = ['--expose-gc', '--import', join(import.meta.dirname, 'support', 'collected-heap.mjs')];
    const pod = await podCredentials(fleet.api, 'controller');
    controller = await fleet.controller('controller-1', {}, { nodeOptions, pod });
    await until('it leads', () => controller.log().includes('"leads"'));
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  /** Bytes of the heap after its garbage was collected. */
  const collected = async (): Promise<number> => {
    const found = (): number[] =>
      [...controller.log().matchAll(/^\{"collected":(\d+)\}$/gm)].map(([, bytes]) => Number(bytes));
    const before = found().length;
    controller.process.kill('SIGUSR2');
    await until('it has collected', () => found().length > before);
    return found().at(-1) as number;
  };
  const cycle = async (): Promise<void> => {
    await fleet.apply(...NAMES.map((name) => demoInstance(name, { replicas: REPLICAS, deletionPolicy: 'Delete' })));
    for (const name of NAMES)
      await seen(fleet, name, 'ready', (instance) => condition(instance, 'Ready') === 'True ReplicasReady');
    await fleet.kubectl(['delete', 'cinst', ...NAMES, '--timeout=60s']);
    await until(
      'nothing is left',
      async () => (await fleet.kubectl(['get', 'crep,pods', '-o', 'name'])) === '',
      60_000,
    );
  };

  test('instances that come and go leave nothing in the memory of the controller', async () => {
    for (let n = 0; n < WARM_CYCLES; n += 1) await cycle();
    const before = await collected();
    for (let n = 0; n < CYCLES; n += 1) await cycle();
    const after = await collected();
    process.stdout.write(
      `collected heap: ${before} bytes, then ${after}; ${Math.round((after - before) / CYCLES)} a cycle\n`,
    );
    expect((after - before) / CYCLES).toBeLessThan(ALLOWED);
  }, 300_000);
});

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { requestWake } from '#runtime/registry/scaling.js';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import {
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  message,
  namesOf,
  seen,
  startKubeFleet,
} from './support/fleet.ts';

describeKube('scale to zero', () => {
  let fleet: KubeFleet;
  let pool: Pool;
  const patch = (spec: object): Promise<string> =>
    fleet.kubectl(['patch', 'cinst', 'shop', '--type=merge', '-p', JSON.stringify({ spec })]);
  const hosts = (): Promise<string[]> => namesOf(fleet, 'crep,pods', { instance: 'shop' });
  const stored = () =>
    fleet.query<{ id: string; idle: boolean }>(
      'SELECT instance_id AS id, idle_since IS NOT NULL AS idle FROM registry.scaling',
    );
  const ready = (count: number) =>
    seen(
      fleet,
      'shop',
      `${count} hosts are ready`,
      (found) => condition(found, 'Ready') === 'True ReplicasReady' && found.status?.readyReplicas === count,
    );
  const wake = async (): Promise<void> => {
    const [row] = await stored();
    expect(await requestWake(pool, [row?.id as string], Date.now())).toBe(300_000);
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    pool = openPool({ url: fleet.databaseUrl, max: 1 });
    await fleet.controller();
    await fleet.apply(demoInstance('shop', { scaleToZero: { idleAfterSeconds: 60 } }));
    await ready(2);
  }, 180_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await pool?.close();
    await fleet?.stop();
  });

  test('an instance that no action used for its time drains its hosts, stays Ready, and says Idle', async () => {
    await until('the registry knows the wish', async () => (await stored()).length === 1);
    await fleet.query('UPDATE registry.scaling SET active_since = 1');
    await fleet.kubectl(['annotate', 'cinst', 'shop', 'checked=now']);
    const idle = await seen(
      fleet,
      'shop',
      'it is idle',
      (found) => condition(found, 'Ready') === 'True Idle' && found.status?.replicas === 0,
    );
    expect(message(idle, 'Ready')).toBe('no action needs a host; the next one starts 2 replicas');
    expect(condition(idle, 'Reconciling')).toBeUndefined();
    expect(await until('nothing of its hosts is left', async () => (await hosts()).length === 0)).toBe(true);
    expect(await fleet.kubectl(['get', 'cinst', 'shop'])).toMatch(/shop .* Idle /);
    expect((await eventsOf(fleet, 'shop')).filter((told) => told.startsWith('Normal Idle: Draining'))).toHaveLength(2);
  });

  test('what an autoscaler writes meanwhile starts no host; another controller leaves it idle too', async () => {
    await fleet.kubectl(['scale', 'cinst', 'shop', '--replicas=3']);
    const before = await seen(fleet, 'shop', 'the new number was seen', (found) =>
      message(found, 'Ready').includes('starts 3 replicas'),
    );
    expect(before.status?.replicas).toBe(0);
    await fleet.stopController('controller-1');
    await fleet.controller('controller-2');
    await fleet.kubectl(['annotate', 'cinst', 'shop', 'checked=again', '--overwrite']);
    await patch({ capacity: 16 });
    await seen(fleet, 'shop', 'the second controller saw it', (found) => condition(found, 'Ready') === 'True Idle');
    expect(await hosts()).toEqual([]);
  });

  test('an action that needs it starts as many hosts as are wanted, and its time begins again', async () => {
    fleet.neverReady.add('shop');
    await wake();
    const waking = await seen(fleet, 'shop', 'it says so', (found) => condition(found, 'Ready') === 'False Waking');
    expect(message(waking, 'Ready')).toBe('0 of 3 replicas are ready');
    expect((await eventsOf(fleet, 'shop')).some((told) => told.startsWith('Normal Waking: Starting'))).toBe(true);
    fleet.neverReady.clear();
    await fleet.kubectl(['delete', 'pods', '-l', 'fleet.aip.dev/instance=shop', '--wait=false']);
    await ready(3);
    expect(await until('it is awake', async () => (await stored())[0]?.idle === false)).toBe(true);
  });

  test('without the wish the registry forgets it, and hosts stay; with replicas at 0 nothing wakes it', async () => {
    await patch({ scaleToZero: null });
    expect(await until('it is forgotten', async () => (await stored()).length === 0)).toBe(true);
    await ready(3);
    await patch({ replicas: 0 });
    const none = await seen(fleet, 'shop', 'no replicas', (found) => found.status?.replicas === 0);
    expect(condition(none, 'Ready')).toBe('True ReplicasReady');
  });
});

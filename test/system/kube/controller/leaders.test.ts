import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import {
  type Controller,
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  namesOf,
  type Seen,
  seen,
  startKubeFleet,
} from './support/fleet.ts';
import { counter, during } from './support/quiet.ts';

const INSTANCES = Array.from({ length: 10 }, (_, index) => `i${index}`);
const MANY = 4;

/** The garbage collector learns of a new kind only within half a minute. */
const GARBAGE_MS = 90_000;

describeKube('two controllers', () => {
  let fleet: KubeFleet;
  let first: Controller;
  let second: Controller;
  const patch = (name: string, spec: object) =>
    fleet.kubectl(['patch', 'cinst', name, '--type=merge', '-p', JSON.stringify({ spec })]);
  const rolledOut = (name: string, count: number): Promise<Seen> =>
    seen(
      fleet,
      name,
      `${count} rolled out`,
      (instance) =>
        instance.status?.replicas === count &&
        instance.status.updatedReplicas === count &&
        instance.status.readyReplicas === count &&
        condition(instance, 'Reconciling') === undefined,
    );
  const said = (controller: Controller, name: string): string | undefined =>
    new RegExp(`"${name}":"([^"]+)"[^\\n]*control plane listens`).exec(controller.log())?.[1];
  /** Who leads, and who waits: an API server that was away for longer than a lease may have changed that. */
  const ranks = (): Promise<{ leader: Controller; waiting: Controller }> =>
    until('one of them leads', async () => {
      const leads = async (controller: Controller): Promise<boolean> =>
        JSON.parse((await controller.admin('/ready')).text).leader;
      const [one, other] = await Promise.all([leads(first), leads(second)]);
      if (one === other) return undefined;
      return one ? { leader: first, waiting: second } : { leader: second, waiting: first };
    });
  /** Replicas, their Pods, keys and records agree in number and name. */
  const agree = async (name: string, count: number): Promise<void> => {
    const bare = async (kind: string): Promise<string[]> =>
      (await namesOf(fleet, kind, { instance: name })).map((each) =>
        (each.split('/')[1] as string).replace('-identity', ''),
      );
    await until('nothing is left over', async () => (await bare('secrets')).length === count + 1, GARBAGE_MS);
    await until('nobody is being asked', async () => (await bare('pods')).length === count);
    const replicas = await bare('crep');
    expect(replicas).toHaveLength(count);
    expect(await bare('pods')).toEqual(replicas);
    expect((await bare('secrets')).filter((each) => each !== `${name}-database`)).toEqual(replicas);
    const records = await fleet.query<{ id: string }>('SELECT id FROM registry.replicas WHERE id LIKE $1', [
      `crepl_default.${name}-%`,
    ]);
    expect(records.map(({ id }) => id.split('.')[1]).sort()).toEqual(replicas);
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    first = await fleet.controller('controller-1');
    await until('the first leads', () => first.log().includes('"became leader"'));
    second = await fleet.controller('controller-2');
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('both serve the control plane with the same key and certificate, and both are healthy', async () => {
    const both = [first, second];
    for (const controller of both) {
      await until('it serves', async () => (await controller.admin('/ready')).status === 200);
      expect((await controller.admin('/health')).status).toBe(200);
    }
    const [one, other] = both.map((controller) => said(controller, 'signer_did'));
    expect(one).toMatch(/^did:key:/);
    expect(other).toBe(one);
    const [left, right] = await Promise.all(both.map((controller) => fingerprint(said(controller, 'bind') as string)));
    expect(left).toBe(right);
    const leaders = await Promise.all(
      both.map(async (controller) => JSON.parse((await controller.admin('/ready')).text)),
    );
    expect(leaders).toMatchObject([{ leader: true }, { leader: false, holder: 'controller-1' }]);
  });

  test('ten instances at rest cost the API server no write', async () => {
    await fleet.apply(...INSTANCES.map((name) => demoInstance(name, { replicas: 1 })));
    for (const name of INSTANCES) await rolledOut(name, 1);
    const idle = await during(20_000, fleet, first);
    expect(idle.written).toEqual([]);
    expect(idle.rounds).toBe(0);
  });

  test('an API server that is killed in the middle of a rollout', async () => {
    await patch('i0', { replicas: MANY });
    await rolledOut('i0', MANY);
    await patch('i0', { capacity: 5 });
    await seen(fleet, 'i0', 'begun', ({ status }) => (status?.updatedReplicas ?? 0) > 0);
    await fleet.api.restart(['kube-apiserver']);
    await rolledOut('i0', MANY);
    await expect(agree('i0', MANY)).resolves.not.toThrow();
  });

  test('a database that is away for a while', async () => {
    const { leader } = await ranks();
    const admin = new pg.Client({ connectionString: inject('postgresUrl') });
    await admin.connect();
    const name = new URL(fleet.databaseUrl).pathname.slice(1);
    try {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await patch('i1', { replicas: 2 });
      const reported = await until('the instance says so', async () => {
        const instance = await fleet.json<Seen>(['get', 'cinst', 'i1']);
        return condition(instance, 'Reconciling') === 'True DatabaseUnavailable' ? instance : undefined;
      });
      // What is known of its hosts stands, and so does what is not known of the new spec.
      expect(condition(reported, 'Ready')).toBe('True ReplicasReady');
      expect(reported.status?.observedGeneration).toBeLessThan(reported.metadata.generation);
      await until('the metric says so too', async () =>
        /^aip_controller_registry_failures_total [1-9]/m.test((await leader.admin('/metrics')).text),
      );
      const tried = () =>
        leader
          .log()
          .split('\n')
          .filter((line) => line.includes('"reconcile failed"') && line.includes('"default/i1"')).length;
      const triedAgain = async (): Promise<void> => {
        const before = tried();
        await until('it is tried again and again', () => tried() > before + 1);
      };
      // A connection that was cut in the middle of a reconcile has words of its own; those of the tries after it stay.
      await triedAgain();
      const { metadata } = await fleet.json<Seen>(['get', 'cinst', 'i1']);
      await triedAgain();
      const after = await fleet.json<Seen>(['get', 'cinst', 'i1']);
      expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
      const failures = await counter(leader, 'aip_controller_reconcile_seconds_count', 'result="failure"');
      expect(failures).toBeGreaterThan(2);
      await until('there is an event', async () =>
        (await eventsOf(fleet, 'i1')).some((text) => text.startsWith('Warning DatabaseUnavailable: ')),
      );
    } finally {
      // Whatever failed, the next test needs it.
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await admin.end();
    }
    await rolledOut('i1', 2);
    await agree('i1', 2);
  });

  test('the leader is killed in the middle of a rollout, and the other one finishes it', async () => {
    await patch('i0', { capacity: 6 });
    await seen(fleet, 'i0', 'begun', ({ status }) => (status?.updatedReplicas ?? 0) > 0);
    const { leader, waiting } = await ranks();
    await leader.kill();
    const answer = async () => JSON.parse((await waiting.admin('/ready')).text);
    await until('the other one leads', async () => (await answer()).leader, 40_000);
    await rolledOut('i0', MANY);
    await agree('i0', MANY);
    expect(await answer()).toMatchObject({ leader: true, holder: waiting.name });
  });
});

/** SHA-256 of the certificate that a server shows. */
function fingerprint(url: string): Promise<string> {
  return new Promise((done, failed) => {
    // Its name is that of a Service, and only what it is counts here.
    const asked = request(url, { rejectUnauthorized: false }, (response) => {
      done((response.socket as TLSSocket).getPeerCertificate().fingerprint256);
      response.resume();
    });
    asked.on('error', failed).end();
  });
}

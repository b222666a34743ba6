import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { probeCapability } from '../../../support/external-host.ts';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { externalInstance } from './support/external.ts';
import {
  type Controller,
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  message,
  namesOf,
  type Seen,
  seen,
  startKubeFleet,
} from './support/fleet.ts';
import { during } from './support/quiet.ts';

describeKube('an instance that something is wrong with', () => {
  let fleet: KubeFleet;
  let controller: Controller;
  const patch = (name: string, spec: object, namespace = 'default') =>
    fleet.kubectl(['patch', 'cinst', name, '-n', namespace, '--type=merge', '-p', JSON.stringify({ spec })]);
  const ready = (name: string, count: number, namespace = 'default'): Promise<Seen> =>
    seen(fleet, name, `${count} ready`, ({ status }) => status?.readyReplicas === count, namespace);
  const stalled = (name: string, reason: string, namespace = 'default'): Promise<Seen> =>
    seen(fleet, name, reason, (instance) => condition(instance, 'Stalled') === `True ${reason}`, namespace);
  const settled = (name: string, namespace = 'default'): Promise<Seen> => {
    const isSettled = (instance: Seen): boolean =>
      condition(instance, 'Ready') === 'True ReplicasReady' &&
      condition(instance, 'Stalled') === undefined &&
      condition(instance, 'Reconciling') === undefined;
    return seen(fleet, name, 'settled', isSettled, namespace);
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    controller = await fleet.controller();
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('a wrong configuration is reported with its path, costs nothing while it lasts, and recovers', async () => {
    await fleet.apply(demoInstance('wrong', { config: { greeting: 7 }, replicas: 1 }));
    const instance = await stalled('wrong', 'DescribeFailed');
    expect(condition(instance, 'Admitted')).toBe('False DescribeFailed');
    expect(message(instance, 'Admitted')).toMatch(/\/greeting must be string/);
    await until('it is told', async () =>
      (await eventsOf(fleet, 'wrong')).some((text) => text.startsWith('Warning DescribeFailed: ')),
    );
    await until(
      'the Pod that asked is gone',
      async () => (await namesOf(fleet, 'pods', { instance: 'wrong' })).length === 0,
    );
    const idle = await during(4000, fleet, controller);
    expect(idle.written).toEqual([]);
    expect(idle.rounds).toBe(0);
    await patch('wrong', { config: null });
    await ready('wrong', 1);
    await settled('wrong');
  });

  test('an image that cannot be pulled is reported, and the instance continues when it can be', async () => {
    const image = `registry.test/private@sha256:${'c'.repeat(64)}`;
    fleet.node.unpullable.add(image);
    await fleet.apply(demoInstance('private', { connector: { type: 'demo', version: '1.0.0', image }, replicas: 1 }));
    const instance = await stalled('private', 'ImagePullFailed');
    expect(message(instance, 'Admitted')).toContain('spec.pod.imagePullSecrets');
    expect((await during(2000, fleet, controller)).written).toEqual([]);
    fleet.node.unpullable.delete(image);
    // A kubelet tries on its own; this node with the next change.
    const [pod] = await namesOf(fleet, 'pods', { instance: 'private' });
    await fleet.kubectl(['annotate', pod as string, 'example.com/poke=1']);
    await ready('private', 1);
  });

  test('a question to a connector that is out of date, or answered elsewhere, is taken back', async () => {
    const image = `registry.test/stuck@sha256:${'d'.repeat(64)}`;
    fleet.node.unpullable.add(image);
    await fleet.apply(demoInstance('moved', { connector: { type: 'demo', version: '1.0.0', image }, replicas: 1 }));
    await stalled('moved', 'ImagePullFailed');
    await patch('moved', { connector: { image: null } });
    await ready('moved', 1);
    await until('only the host is there', async () => {
      const pods = await namesOf(fleet, 'pods,configmaps', { instance: 'moved' });
      return pods.every((name) => !name.includes('-describe-'));
    });
    // Several at once ask the same; the answer to the first is the answer to all.
    const many = ['q1', 'q2', 'q3', 'q4'];
    const connector = { type: 'demo', version: '3.0.0' };
    await fleet.apply(...many.map((name) => demoInstance(name, { connector, replicas: 0 })));
    for (const name of many) {
      await seen(fleet, name, 'bound', (instance) => condition(instance, 'Bound') === 'True Bound');
      await until('nobody asks any more', async () => (await namesOf(fleet, 'pods', { instance: name })).length === 0);
      expect(await namesOf(fleet, 'configmaps', { instance: name })).toContain(`configmap/${name}-description`);
    }
  });

  test('a quota that is used up is reported while what fits in it serves, and the rest follows when it is raised', async () => {
    await fleet.kubectl(['create', 'namespace', 'tight']);
    await fleet.kubectl(['create', 'quota', 'pods', '-n', 'tight', '--hard=pods=1']);
    await until(
      'the quota is counted',
      async () =>
        (await fleet.kubectl(['get', 'quota', 'pods', '-n', 'tight', '-o', 'jsonpath={.status.used.pods}'])) === '0',
    );
    await fleet.apply(demoInstance('many', {}, 'tight'));
    const isTight = (instance: Seen): boolean =>
      instance.status?.readyReplicas === 1 && condition(instance, 'Stalled') === 'True QuotaExceeded';
    const instance = await seen(fleet, 'many', 'one fits', isTight, 'tight');
    expect(message(instance, 'Stalled')).toContain('exceeded quota: pods');
    await fleet.kubectl([
      'patch',
      'quota',
      'pods',
      '-n',
      'tight',
      '--type=merge',
      '-p',
      '{"spec":{"hard":{"pods":"5"}}}',
    ]);
    await ready('many', 2, 'tight');
    await settled('many', 'tight');
  });

  test('with a quota in the way, fewer replicas, none, and a disabled instance are still carried out', async () => {
    await fleet.kubectl(['create', 'namespace', 'lowered']);
    await fleet.kubectl(['create', 'quota', 'pods', '-n', 'lowered', '--hard=pods=3']);
    await until('the quota is counted', async () => {
      const used = await fleet.kubectl(['get', 'quota', 'pods', '-n', 'lowered', '-o', 'jsonpath={.status.used.pods}']);
      return used === '0';
    });
    await fleet.apply(demoInstance('many', {}, 'lowered'));
    await ready('many', 2, 'lowered');
    const blocked = async (): Promise<void> => {
      await patch('many', { replicas: 5, enabled: true }, 'lowered');
      const isBlocked = (instance: Seen): boolean =>
        instance.status?.readyReplicas === 3 && condition(instance, 'Stalled') === 'True QuotaExceeded';
      await seen(fleet, 'many', 'three of five fit', isBlocked, 'lowered');
    };
    const count = (replicas: number): Promise<Seen> => {
      const has = ({ status }: Seen): boolean => status?.replicas === replicas && status.readyReplicas === replicas;
      return seen(fleet, 'many', `${replicas} left`, has, 'lowered');
    };
    await blocked();
    await patch('many', { replicas: 2 }, 'lowered');
    await count(2);
    await settled('many', 'lowered');
    await blocked();
    await patch('many', { replicas: 0 }, 'lowered');
    await count(0);
    await blocked();
    await patch('many', { enabled: false }, 'lowered');
    await count(0);
    const [record] = await fleet.query(`SELECT enabled FROM registry.instances WHERE id LIKE 'cinst_lowered.many.%'`);
    expect(record).toEqual({ enabled: false });
  });

  test('a Pod that the API server refuses stops only itself: the correction is rolled out', async () => {
    await fleet.apply(demoInstance('bent'));
    await ready('bent', 2);
    const before = await namesOf(fleet, 'crep', { instance: 'bent' });
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: 'x' } };
    await patch('bent', { pod: { affinity: { nodeAffinity: required } } });
    const instance = await stalled('bent', 'Invalid');
    expect(condition(instance, 'Ready')).toBe('True ReplicasReady');
    await patch('bent', { pod: null });
    await settled('bent');
    expect(await namesOf(fleet, 'crep', { instance: 'bent' })).toEqual(before);
    await patch('bent', { pod: { affinity: { nodeAffinity: required } } });
    await stalled('bent', 'Invalid');
    await patch('bent', { pod: { annotations: { other: 'change' }, affinity: null } });
    const replaced = ({ status }: Seen): boolean => status?.updatedReplicas === 2 && status.replicas === 2;
    await seen(fleet, 'bent', 'another template', replaced);
    await settled('bent');
  });

  test('an instance whose new spec is refused can still be scaled down and disabled', async () => {
    await fleet.apply(demoInstance('halted', { replicas: 3 }));
    await ready('halted', 3);
    await patch('halted', { config: { greeting: 7 } });
    const instance = await stalled('halted', 'DescribeFailed');
    expect(condition(instance, 'Ready')).toBe('True ReplicasReady');
    await patch('halted', { replicas: 1 });
    await seen(fleet, 'halted', 'one left', ({ status }) => status?.replicas === 1 && status.readyReplicas === 1);
    await patch('halted', { enabled: false });
    await seen(fleet, 'halted', 'none left', ({ status }) => status?.replicas === 0);
    const [record] = await fleet.query(`SELECT enabled FROM registry.instances WHERE id LIKE 'cinst_default.halted.%'`);
    expect(record).toEqual({ enabled: false });
    await patch('halted', { enabled: true, config: null });
    await ready('halted', 1);
    await settled('halted');
  });

  test('a Secret that is missing is reported soon, costs nothing while it is, and the host starts when it is there', async () => {
    const secrets = [{ file: 'key', secretKeyRef: { name: 'provider', key: 'key' } }];
    await fleet.apply(demoInstance('keyless', { secrets, replicas: 1 }));
    const isTold = (instance: Seen): boolean => condition(instance, 'Ready') === 'False HostTrouble';
    const instance = await seen(fleet, 'keyless', 'it is told', isTold);
    expect(message(instance, 'Ready')).toMatch(
      /0 of 1 replicas are ready; keyless-\w+-0: .*Secret provider not found in the namespace/,
    );
    await until('there is an event', async () =>
      (await eventsOf(fleet, 'keyless')).some((text) => text.startsWith('Warning HostTrouble: ')),
    );
    expect((await during(2000, fleet, controller)).written).toEqual([]);
    await fleet.kubectl(['create', 'secret', 'generic', 'provider', '--from-literal=key=a']);
    await ready('keyless', 1);
    await settled('keyless');
  });

  test("another owner's Service of the instance's name is not overwritten", async () => {
    await fleet.kubectl(['create', 'service', 'clusterip', 'taken', '--tcp=80']);
    const versionOf = () => fleet.kubectl(['get', 'service', 'taken', '-o', 'jsonpath={.metadata.resourceVersion}']);
    const before = await versionOf();
    await fleet.apply(demoInstance('taken', { replicas: 1 }));
    const instance = await stalled('taken', 'NameTaken');
    expect(message(instance, 'Stalled')).toContain('Service taken');
    expect(await versionOf()).toBe(before);
    await fleet.kubectl(['delete', 'service', 'taken']);
    await ready('taken', 1);
    await settled('taken');
  });

  test('a Service that somebody makes their own is left alone, and Ready says that gateways reach no host by it', async () => {
    await ready('taken', 1);
    const disown = JSON.stringify({ metadata: { ownerReferences: [] } });
    await fleet.kubectl(['patch', 'service', 'taken', '--type=merge', '-p', disown]);
    const isHonest = (each: Seen): boolean => condition(each, 'Ready') === 'False NameTaken';
    const instance = await seen(fleet, 'taken', 'not ready', isHonest);
    expect(instance.status?.readyReplicas).toBe(1);
    await fleet.kubectl(['delete', 'service', 'taken']);
    await seen(fleet, 'taken', 'ready again', (each) => condition(each, 'Ready') === 'True ReplicasReady');
    await settled('taken');
  });

  test("another owner's Secret of a name that is needed is neither used nor overwritten", async () => {
    await fleet.kubectl(['create', 'secret', 'generic', 'shop-database', '--from-literal=password=abc123']);
    await fleet.apply(demoInstance('shop', { replicas: 1 }));
    const instance = await stalled('shop', 'NameTaken');
    expect(message(instance, 'Stalled')).toContain('Secret shop-database');
    expect(await fleet.kubectl(['get', 'secret', 'shop-database', '-o', 'jsonpath={.data}'])).toBe(
      '{"password":"YWJjMTIz"}',
    );
    await fleet.kubectl(['delete', 'secret', 'shop-database']);
    await ready('shop', 1);
  });

  test('a capability that is defined in another way names the capability and the instance that has it', async () => {
    const changed = { ...probeCapability('echo'), description: 'something else' };
    await fleet.apply(externalInstance('first'));
    await seen(fleet, 'first', 'bound', (instance) => condition(instance, 'Bound') === 'True Bound');
    await fleet.apply(externalInstance('second', { capabilities: [changed] }));
    const second = await stalled('second', 'CapabilityConflict');
    expect(condition(second, 'Admitted')).toBe('False CapabilityConflict');
    expect(message(second, 'Admitted')).toContain('cap:probe:echo');
    expect(message(second, 'Admitted')).toContain('default/first');
    await fleet.apply(externalInstance('second'));
    await seen(fleet, 'second', 'bound', (instance) => condition(instance, 'Bound') === 'True Bound');
  });

  test('a version that never becomes ready stops the rollout while the old one serves, and continues when it does', async () => {
    await fleet.apply(demoInstance('stuck', { rollout: { progressDeadlineSeconds: 3 } }));
    await ready('stuck', 2);
    const old = await namesOf(fleet, 'crep', { instance: 'stuck' });
    fleet.neverReady.add('stuck');
    await patch('stuck', { capacity: 9 });
    const instance = await stalled('stuck', 'ProgressDeadlineExceeded');
    expect(instance.status).toMatchObject({ replicas: 3, readyReplicas: 2, updatedReplicas: 1 });
    expect(condition(instance, 'Ready')).toBe('True ReplicasReady');
    const now = await namesOf(fleet, 'crep', { instance: 'stuck' });
    expect(now).toEqual(expect.arrayContaining(old));
    expect((await during(2000, fleet, controller)).written).toEqual([]);
    fleet.neverReady.delete('stuck');
    await fleet.query(
      `UPDATE registry.replicas SET status = 'ready', lease_expires_at = $1, health_revision = health_revision + 1
       WHERE instance_id = $2 AND lease_expires_at = 0`,
      [Date.now() + 3_600_000, instance.status?.instanceId],
    );
    await seen(
      fleet,
      'stuck',
      'rolled out',
      ({ status }) => status?.replicas === 2 && status.updatedReplicas === 2 && status.readyReplicas === 2,
    );
    await settled('stuck');
  });
});
